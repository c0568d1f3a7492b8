const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Returns a signal that aborts when the process is first told to stop. The reason is an error with the name of the signal.
 * Later signals are ignored: a terminal sends Ctrl-C to every process of a command, and a parent may pass it on again.
 */
export function listenForStop(process: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  for (const name of SIGNALS) {
    process.on(name, () => stop.abort(new Error(name)));
  }
  return stop.signal;
}
