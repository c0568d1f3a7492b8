import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from './cache-dir.ts';
import { withFileLock } from './file-lock.ts';
import type { Progress } from './progress.ts';

export interface BuildOnce {
  /** What is built, as a path below the cache: `go/runc`, `images/mock`. */
  readonly name: string;
  /** Everything the result depends on. The same inputs find the earlier result. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** Fills the empty directory `into`. It becomes visible under its final name only when this has succeeded. */
  readonly build: (into: string) => Promise<void>;
  readonly progress: Progress;
}

/** Returns a directory in the cache that holds the result of `build` for these inputs, building it if it is not there. */
export async function buildOnce({ name, inputs, build, progress }: BuildOnce): Promise<string> {
  const final = placeOf({ name, inputs });
  if (existsSync(final)) return final;
  return withFileLock(
    `${final}.lock`,
    async () => {
      if (existsSync(final)) return final;
      const partial = `${final}.partial`;
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true });
      const start = performance.now();
      progress(`building ${name} ...`);
      await build(partial);
      await rename(partial, final);
      progress(`built ${name} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
      return final;
    },
    () => progress(`waiting for another process that builds ${name} ...`),
  );
}

/** Whether the cache holds the result for these inputs. */
export function isBuilt(what: Pick<BuildOnce, 'name' | 'inputs'>): boolean {
  return existsSync(placeOf(what));
}

function placeOf({ name, inputs }: Pick<BuildOnce, 'name' | 'inputs'>): string {
  return join(cacheDir(), name, hashOf(inputs));
}

function hashOf(inputs: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const bytes = Buffer.from(input);
    hash.update(`${bytes.length}:`).update(bytes); // lengths keep ['ab','c'] and ['a','bc'] apart
  }
  return hash.digest('hex').slice(0, 16);
}
