import { ConfigError, DOCUMENT_LIMITS, type Json, parseJson, type TaskRun } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { ArtifactRef, StepImage } from '../../seams.ts';
import type { StepVisit } from '../../walk/step-visit.ts';

const METADATA = 'metadata.json';
const NO_EXECUTABLE =
  'No executable defined for task. Specify an executable to run in either the task config (run.path) or as an ENTRYPOINT/CMD in the container image.';

/** The command of a task. If the task names no path: the image's ENTRYPOINT and CMD, followed by the task's arguments. */
export async function resolveRun(visit: StepVisit, run: TaskRun, image: StepImage): Promise<TaskRun> {
  if (run.path) return run;
  const [path, ...args] = await entryPointOf(visit, image);
  if (!path) throw new EngineError('executable-missing', NO_EXECUTABLE);
  return { ...run, path, args: [...args, ...(run.args ?? [])] };
}

async function entryPointOf(visit: StepVisit, image: StepImage): Promise<readonly string[]> {
  if (image.kind === 'pulled') return image.image.command;
  return image.kind === 'artifact' ? recordedEntryPoint(visit, image.artifact) : [];
}

/** Recorded, because a later walk may be unable to read the image: it may be gone while the task runs. */
async function recordedEntryPoint(visit: StepVisit, artifact: ArtifactRef): Promise<readonly string[]> {
  const { journal, orchestrator } = visit.walk.seams;
  const key = { planId: visit.id, what: 'entry-point' } as const;
  const recorded = await journal.read(key);
  if (recorded) return recorded['command'] as string[];
  const bytes = await orchestrator.readFile(artifact, METADATA, DOCUMENT_LIMITS.task, visit.ctx.signal);
  if (!bytes) {
    throw new EngineError('file-missing', `file '${METADATA}' not found within artifact '${artifact.id}'`);
  }
  const command = parseEntryPoint(Buffer.from(bytes).toString('utf8'));
  await journal.record(key, { command });
  return command;
}

function parseEntryPoint(text: string): string[] {
  const metadata = parseMetadata(text);
  return [...listIn(metadata, 'entrypoint'), ...listIn(metadata, 'cmd')];
}

function parseMetadata(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw malformed(error.message, error);
  }
}

/** A list of texts in the metadata; empty if it is absent. The case of its name does not matter, as in Concourse. */
function listIn(metadata: Json, name: string): string[] {
  if (metadata === null) return [];
  if (typeof metadata !== 'object' || Array.isArray(metadata)) throw malformed('it is not an object');
  const [, list] = Object.entries(metadata).find(([key]) => key.toLowerCase() === name) ?? [];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw malformed(`its ${name} is not a list of texts`);
}

function malformed(why: string, cause?: unknown): EngineError {
  return new EngineError('file-invalid', `error parsing ${METADATA} from rootfs: ${why}`, { cause });
}
