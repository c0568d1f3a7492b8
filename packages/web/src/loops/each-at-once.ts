/**
 * Runs `act` for each item, at most `limit` at a time, in order. Begins no more when the signal is aborted or one has
 * failed. Waits for all that have begun, and then throws the first failure.
 */
export async function eachAtOnce<T>(
  items: Iterable<T>,
  limit: number,
  signal: AbortSignal,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = Iterator.from(items);
  const failures: unknown[] = [];
  async function work(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) return;
      await act(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  }
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
}
