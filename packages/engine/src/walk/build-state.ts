import type { Json, Version } from '@seaplane/config';
import type { ArtifactRef } from '../seams.ts';
import { type ScopedMap, scopedMap } from './scoped-map.ts';

/** What the steps of a build leave for those after them. It is made anew in each walk, from what the journal recorded. */
export interface BuildState {
  /** Directories that steps made, by the name that later steps use. */
  readonly artifacts: ScopedMap<ArtifactRef>;
  /** Variables of the source `.`. */
  readonly localVars: ScopedMap<Json>;
  /** What puts made and checks found, by plan, for the gets that take their version from there. */
  readonly versions: Map<string, Version>;
  /** What gets fetched, by plan: the image of a step may be among it. */
  readonly fetched: Map<string, Fetched>;
}

export interface Fetched {
  readonly artifact: ArtifactRef;
  readonly cacheId: string;
}

export function newBuildState(): BuildState {
  return { artifacts: scopedMap(), localVars: scopedMap(), versions: new Map(), fetched: new Map() };
}

/** A scope within another: artifacts and variables made in it are not seen outside. */
export function childScope(state: BuildState): BuildState {
  return { ...state, artifacts: scopedMap(state.artifacts), localVars: scopedMap(state.localVars) };
}
