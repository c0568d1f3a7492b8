import type { Json, Version } from '@seaplane/config';
import type { ArtifactRef, Fetched } from '../seams.ts';
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
  /** In the scope of the steps that fetch an image: nobody reads its files. */
  readonly forImage?: boolean;
}

export function newBuildState(): BuildState {
  return { artifacts: scopedMap(), localVars: scopedMap(), versions: new Map(), fetched: new Map() };
}

/** A scope within another. Artifacts and variables made in it are not visible outside. */
export function childScope({ forImage: _, ...state }: BuildState): BuildState {
  return { ...state, artifacts: scopedMap(state.artifacts), localVars: scopedMap(state.localVars) };
}
