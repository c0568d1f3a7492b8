import type { Json, PutPlan } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { ArtifactRef } from '../../seams.ts';
import type { ScopedMap } from '../../walk/scoped-map.ts';

/** The inputs of a put: all artifacts, the listed ones, or by default those that its params seem to name. */
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

/** The first path segment of every string in params. Most of them are not names of artifacts. */
function detectInputs(params: Json): string[] {
  if (typeof params === 'string') return [firstSegment(params)];
  return typeof params === 'object' && params !== null ? Object.values(params).flatMap(detectInputs) : [];
}

function firstSegment(path: string): string {
  const segments = path.split('/');
  return segments.length === 1 ? path : (segments.find((segment) => segment !== '.' && segment !== '..') ?? path);
}
