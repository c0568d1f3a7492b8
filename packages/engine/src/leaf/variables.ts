import {
  ConfigError,
  followFields,
  interpolate,
  type Json,
  type JsonObject,
  type Lookup,
  staticLookup,
  type VarReference,
} from '@seaplane/config';
import { cannotLookUp } from '../secrets/track-again.ts';
import type { StepVisit } from '../walk/step-visit.ts';

/** Replaces all variables in a tree, local ones included. A variable that does not exist is an error. */
export async function resolveVars<T extends Json | undefined>(visit: StepVisit, tree: T): Promise<T> {
  if (tree === undefined) return tree;
  const { variables } = visit.walk.seams;
  const placesOf = (ref: VarReference) => variables.placesOf(ref, visit.ctx.drain);
  return (await interpolate(tree as Json, buildLookup(visit), { allowMissing: false, placesOf })) as T;
}

/** Replaces the given variables, which are of one source. Other references are left as they are. */
export function interpolateWith<T extends Json>(vars: JsonObject, tree: T, source?: string): Promise<T> {
  const known = staticLookup(vars);
  const lookup: Lookup = ({ source: asked, ...plain }) => (asked === source ? known(plain) : undefined);
  return interpolate(tree, lookup, { allowMissing: true });
}

/** Variables of the source `.` are local to the build. All others are secret. */
function buildLookup(visit: StepVisit): Lookup {
  const { walk, state } = visit;
  return async (ref) => {
    if (ref.source === '.') {
      const value = state.localVars.get(ref.path);
      return value === undefined ? undefined : followFields(value, ref);
    }
    const value = await lookUp(visit, ref);
    if (value !== undefined) walk.secrets.trackVariable(ref, value);
    return value;
  };
}

/**
 * If a step has a sandbox, its process may still run. Then a failed lookup drains the walk instead of failing the step.
 * An abort does not end a lookup either: without its variables the process cannot be attached to and ended.
 */
async function lookUp({ walk, id, ctx }: StepVisit, ref: VarReference): Promise<Json | undefined> {
  try {
    return await walk.seams.variables.get(ref, ctx.drain);
  } catch (cause) {
    const running = await walk.seams.journal.read({ planId: id, what: 'sandbox' });
    throw running && !(cause instanceof ConfigError) ? walk.letGo(cannotLookUp(ref, cause)) : cause;
  }
}
