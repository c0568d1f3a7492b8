import { ConfigError, formatReference, type VarReference } from '@seaplane/config';
import { Drained } from '../walk/interruption.ts';
import type { StepVisit } from '../walk/step-visit.ts';

/**
 * Looks up the variables of an earlier walk again, because steps may print their values in this walk. If a lookup
 * fails, the walk is drained, unless the variable no longer exists: its source was removed from the pipeline, or the
 * variable or its field from the source.
 */
export async function trackAgain({ walk, ctx }: StepVisit, variables: readonly VarReference[]): Promise<void> {
  const { seams, secrets, letGo } = walk;
  if (seams.redactSecrets === false) return;
  for (const ref of variables.filter((known) => !secrets.knows(known))) {
    try {
      secrets.trackVariable(ref, await seams.variables.get(ref, ctx.drain));
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw letGo(cannotLookUp(ref, cause));
      secrets.trackVariable(ref, undefined);
    }
  }
}

export function cannotLookUp(ref: VarReference, cause: unknown): Drained {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Drained(`cannot look up ((${formatReference(ref)})) again: ${why}`, { cause });
}
