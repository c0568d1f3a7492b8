/**
 * For a command that has something to clean up: the first signal to end aborts the returned signal, and repeats change
 * nothing.
 */
export function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stopping.abort(new Error(`stopped by ${name}`)));
  }
  return stopping.signal;
}
