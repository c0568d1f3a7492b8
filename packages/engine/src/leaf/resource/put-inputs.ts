import type { Json, PutPlan } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { ArtifactRef } from '../../seams.ts';
import type { ScopedMap } from '../../walk/scoped-map.ts';

/** The artifacts a put gets to see: all, those listed, or (the default) those its params seem to name. */
export function putInputs(plan: PutPlan, artifacts: ScopedMap<ArtifactRef>): Record<string, ArtifactRef> {
  const all = artifacts.all();
  const asked = plan.inputs ?? 'detect';
  if (asked === 'all') return Object.fromEntries(all);
  const names = asked === 'detect' ? detectInputs(plan.params ?? {}) : asked;
  const found: Record<string, ArtifactRef> = {};
  for (const name of names) {
    const artifact = all.get(name);
    if (artifact) found[name] = artifact;
    else if (asked !== 'detect') throw new EngineError('inputs-missing', `input not found: ${name}`);
  }
  return found;
}

/** For every string in params, the first part of its path; most are no artifact's name. */
function detectInputs(params: Json): string[] {
  if (typeof params === 'string') return [firstSegment(params)];
  return typeof params === 'object' && params !== null ? Object.values(params).flatMap(detectInputs) : [];
}

function firstSegment(path: string): string {
  const segments = path.split('/');
  return segments.length === 1 ? path : (segments.find((segment) => segment !== '.' && segment !== '..') ?? path);
}
