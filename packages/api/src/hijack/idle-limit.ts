/** A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Ends something that nobody has used for a while. */
export interface IdleLimit extends Disposable {
  /** Begins to wait anew. */
  touch(): void;
  /** Resolves when nobody has touched it for that long, and not at all once it is disposed. */
  readonly reached: Promise<'idle'>;
}

/** 0: without a limit. */
export function idleLimit(ms: number): IdleLimit {
  const { promise, resolve } = Promise.withResolvers<'idle'>();
  const timer = ms > 0 ? setTimeout(() => resolve('idle'), Math.min(ms, LONGEST_MS)) : undefined;
  return { touch: () => timer?.refresh(), reached: promise, [Symbol.dispose]: () => clearTimeout(timer) };
}
