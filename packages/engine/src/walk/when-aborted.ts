/** Acts when a signal aborts, or at once if it has; not after its disposal. */
export function whenAborted(signal: AbortSignal, act: () => void): Disposable {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', act) };
}
