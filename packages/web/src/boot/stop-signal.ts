const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first signal to stop, with an error of its name as the reason. Later ones are ignored: a terminal sends Ctrl-C to
 * every process of the command, and a parent passes it on once more.
 */
export function stopSignal(process: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  for (const name of SIGNALS) {
    process.on(name, () => stop.abort(new Error(name)));
  }
  return stop.signal;
}
