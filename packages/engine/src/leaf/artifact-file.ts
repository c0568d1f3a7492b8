import { EngineError } from '../engine-error.ts';
import type { StepVisit } from '../walk/step-visit.ts';

/** The messages about a path that leads nowhere. They differ by step, as in Concourse. */
export interface PathWords {
  /** A path without an artifact's name before the first slash. */
  readonly noArtifact: (path: string) => string;
  readonly notFound: (artifact: string, file: string) => string;
}

/** Reads `ARTIFACT/PATH/OF/FILE`. A file of more than `maxBytes` is an error. */
export async function readArtifactFile(
  visit: StepVisit,
  path: string,
  maxBytes: number,
  words: PathWords,
): Promise<Uint8Array> {
  const slash = path.indexOf('/');
  if (slash < 0) throw new EngineError('file-missing', words.noArtifact(path));
  const [name, file] = [path.slice(0, slash), path.slice(slash + 1)];
  const artifact = visit.state.artifacts.get(name);
  if (!artifact) throw new EngineError('artifact-missing', `unknown artifact source: '${name}' in file path '${path}'`);
  const bytes = await visit.walk.seams.orchestrator.readFile(artifact, file, maxBytes, visit.ctx.signal);
  if (!bytes) throw new EngineError('file-missing', words.notFound(name, file));
  return bytes;
}
