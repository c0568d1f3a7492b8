import type { Json, Version } from '@seaplane/config';
import type { ArtifactRef } from '../seams.ts';
import { type ScopedMap, scopedMap } from './scoped-map.ts';

/** The things that steps leave for later steps. Each walk fills a new one, from the results in the journal. */
export interface BuildState {
  /** By the name that later steps use. */
  readonly artifacts: ScopedMap<ArtifactRef>;
  /** Variables of the source `.`. */
  readonly localVars: ScopedMap<Json>;
  /** The versions that puts made and checks found, by plan id, for the gets that use them. */
  readonly versions: Map<string, Version>;
  /** What gets have fetched, by plan id; images among them. */
  readonly fetched: Map<string, Fetched>;
}

export interface Fetched {
  readonly artifact: ArtifactRef;
  readonly cacheId: string;
}

export function newBuildState(): BuildState {
  return { artifacts: scopedMap(), localVars: scopedMap(), versions: new Map(), fetched: new Map() };
}

/** A scope within another. Artifacts and variables made in it are not visible outside. */
export function childScope(state: BuildState): BuildState {
  return { ...state, artifacts: scopedMap(state.artifacts), localVars: scopedMap(state.localVars) };
}
