import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@seaplane/db';

/** The context of a benchmark that needs no cluster. */
export interface AloneOptions {
  readonly rounds: number;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Calls `act` with a database of its own, which is deleted afterwards. */
export async function withBenchDatabase<T>(signal: AbortSignal, act: (database: Database) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
  try {
    await using database = await openDatabase({ kind: 'embedded', directory: join(directory, 'data') }, { signal });
    return await act(database);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Milliseconds. */
export async function time(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/**
 * Measures several ways of doing one thing, turn by turn, so that other load affects all alike. Returns the milliseconds
 * of each, without those of the first round, which warms everything up.
 */
export async function inTurns<K extends string>(
  { rounds, progress, signal }: AloneOptions,
  ways: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(ways) as K[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      signal.throwIfAborted();
      const elapsed = await ways[name]();
      if (round > 0) times[name].push(elapsed);
    }
    progress(round === 0 ? 'warm' : `round ${round} of ${rounds}`);
  }
  return times;
}
