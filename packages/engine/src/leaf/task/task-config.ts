import {
  ConfigError,
  DOCUMENT_LIMITS,
  decodeYaml,
  type Json,
  type JsonObject,
  readTaskConfig,
  type TaskConfig,
  type TaskPlan,
} from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { StepVisit } from '../../walk/step-visit.ts';
import { readArtifactFile } from '../artifact-file.ts';
import { interpolateWith, resolveVars } from '../variables.ts';

/**
 * The configuration of a task, from the step or a file. The step's `vars`, limits and params are put in first, then all
 * other variables, which must all exist.
 */
export async function resolveTaskConfig(visit: StepVisit, plan: TaskPlan): Promise<TaskConfig> {
  const written = plan.config_path
    ? await readConfigFile(visit, plan.config_path, plan.vars)
    : (plan.config as unknown as Json);
  const result = readTaskConfig(await complete(visit, written ?? {}, plan));
  if (result.ok) return result.config;
  throw new EngineError('file-invalid', fromFile(plan.config_path, result.message));
}

/** A tree of the wrong shape is returned as it is; readTaskConfig then says what is wrong with it. */
async function complete(visit: StepVisit, written: Json, plan: TaskPlan): Promise<Json> {
  if (!isMap(written) || !isMap(written['params'] ?? {}) || !isMap(written['container_limits'] ?? {})) return written;
  const overridden = await overrideParams(visit, overrideLimits(written, plan), plan.params ?? {});
  return explainFailure(resolveVars(visit, overridden));
}

async function readConfigFile(visit: StepVisit, path: string, vars: JsonObject = {}): Promise<Json> {
  const tree = await parseConfigFile(visit, path, await readConfigText(visit, path));
  return Object.keys(vars).length > 0 ? explainFailure(interpolateWith(vars, tree)) : tree;
}

function parseConfigFile(visit: StepVisit, path: string, text: string): Promise<Json> {
  return explainYaml(path, () => visit.walk.seams.yaml.parse(text, visit.ctx.signal, { lastKeyWins: true }));
}

async function explainYaml<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new EngineError('file-invalid', fromFile(path, `error converting YAML to JSON: ${error.message}`), {
      cause: error,
    });
  }
}

/**
 * Recorded, because a later walk may be unable to read the file: in an aborted build nothing is read any more, but a
 * running task must still be attached to and ended.
 */
async function readConfigText(visit: StepVisit, path: string): Promise<string> {
  const { journal } = visit.walk.seams;
  const key = { planId: visit.id, what: 'task-file' } as const;
  const recorded = await journal.read(key);
  if (recorded) return String(recorded['text']);
  const bytes = await readArtifactFile(visit, path, DOCUMENT_LIMITS.task, {
    noArtifact: () => `config path '${path}' does not specify where the file lives`,
    notFound: (artifact, file) => `task config '${artifact}/${file}' not found`,
  });
  const text = await explainYaml(path, () => decodeYaml(bytes));
  await journal.record(key, { text });
  return text;
}

function fromFile(path: string | undefined, message: string): string {
  return path ? `failed to create task config from bytes ${path}: ${message}` : message;
}

function isMap(tree: Json): tree is JsonObject {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
}

function overrideLimits(tree: JsonObject, { container_limits }: TaskPlan): JsonObject {
  if (!container_limits) return tree;
  return { ...tree, container_limits: { ...(tree['container_limits'] as JsonObject), ...container_limits } };
}

async function overrideParams(visit: StepVisit, tree: JsonObject, params: JsonObject): Promise<JsonObject> {
  const names = Object.keys(params);
  if (names.length === 0) return tree;
  const own = (tree['params'] ?? {}) as JsonObject;
  for (const name of names.filter((known) => !Object.hasOwn(own, known))) {
    await visit.events.writeLine('stderr', `[WARNING] ${name} was defined in pipeline but missing from task file`);
  }
  return { ...tree, params: { ...own, ...params } };
}

async function explainFailure<T extends Json>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new EngineError('file-invalid', `failed to interpolate task config: ${error.message}`, { cause: error });
  }
}
