import { ConfigError, formatReference, type VarReference } from '@seaplane/config';
import { Drained } from '../walk/interruption.ts';
import type { StepVisit } from '../walk/step-visit.ts';

/**
 * What an earlier walk looked up may be printed in this one. Without knowing the secrets the walk cannot go on, unless
 * nobody can know them any more: the source was taken from the pipeline, the variable or its field from the source.
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
  return new Drained(`can't look up again what ((${formatReference(ref)})) is: ${why}`, { cause });
}
