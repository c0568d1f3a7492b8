import { followFields, interpolate, type Json, type JsonObject, type Lookup, staticLookup } from '@seaplane/config';
import type { StepRun } from '../step-run.ts';

/** Puts in the build's own variables and everybody else's; one that is not known is an error. */
export async function resolveVars<T extends Json | undefined>(at: StepRun, tree: T): Promise<T> {
  if (tree === undefined) return tree;
  return (await interpolate(tree as Json, buildLookup(at), { allowMissing: false })) as T;
}

/** Puts in variables that are at hand, those of one source; others stay as they are. */
export function interpolateWith<T extends Json>(vars: JsonObject, tree: T, source?: string): Promise<T> {
  const known = staticLookup(vars);
  const lookup: Lookup = ({ source: asked, ...plain }) => (asked === source ? known(plain) : undefined);
  return interpolate(tree, lookup, { allowMissing: true });
}

/** Variables of the source `.` are the build's own. All others are secret. */
function buildLookup({ run, state }: StepRun): Lookup {
  return async (ref) => {
    if (ref.source === '.') {
      const value = state.localVars.get(ref.path);
      return value === undefined ? undefined : followFields(value, ref);
    }
    const value = (await run.seams.variables.get(ref)) as Json | undefined;
    if (value !== undefined) run.secrets.trackVariable(ref, value);
    return value;
  };
}
