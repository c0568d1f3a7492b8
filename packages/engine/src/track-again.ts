import type { VarReference } from '@seaplane/config';
import type { BuildRun } from './build-run.ts';
import { Drained } from './interruption.ts';

/** What an earlier walk looked up may be printed in this one. Without knowing the secrets the walk cannot go on. */
export async function trackAgain(
  { seams, secrets, letGo }: Pick<BuildRun, 'seams' | 'secrets' | 'letGo'>,
  variables: readonly VarReference[],
): Promise<void> {
  if (seams.redactSecrets === false) return;
  for (const ref of variables.filter((known) => !secrets.knows(known))) {
    try {
      secrets.trackVariable(ref, await seams.variables.get(ref));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw letGo(new Drained(`can't look up again what must be redacted: ${why}`, { cause }));
    }
  }
}
