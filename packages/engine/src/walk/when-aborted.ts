/** Calls `act` when the signal aborts, or at once if it has. After disposal it is not called. */
export function whenAborted(signal: AbortSignal, act: () => void): Disposable {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', act) };
}
