const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm and terminals send one Ctrl-C several times at once. */
const APART_MS = 1_000;

export interface SignalContext {
  readonly process: Pick<NodeJS.Process, 'on'>;
  readonly now: () => number;
  /** Ends the process at once. */
  readonly quit: () => void;
}

/** Returns a signal that aborts at the first signal of the system. A later one, at least a second after, quits. */
export function listenForAbort({ process, now, quit }: SignalContext): AbortSignal {
  const abort = new AbortController();
  let first: number | undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      first ??= now();
      if (!abort.signal.aborted) abort.abort(new Error(name));
      else if (now() - first >= APART_MS) quit();
    });
  }
  return abort.signal;
}
