import {
  ConfigError,
  type Json,
  type JsonObject,
  parseYaml,
  readTaskConfig,
  type TaskConfig,
  type TaskPlan,
} from '@seaplane/config';
import { EngineError } from '../engine-error.ts';
import type { StepRun } from '../step-run.ts';
import { readArtifactFile } from './artifact-file.ts';
import { interpolateWith, resolveVars } from './variables.ts';

/**
 * What a task shall run: its own configuration or a file's, with the step's variables, limits and params put in, then
 * everybody else's variables, all of which must be known.
 */
export async function resolveTaskConfig(at: StepRun, plan: TaskPlan): Promise<TaskConfig> {
  const written = plan.config_path ? await readConfigFile(at, plan.config_path, plan.vars) : asTree(plan.config ?? {});
  const overridden = await overrideParams(at, overrideLimits(written, plan), plan.params ?? {});
  const result = readTaskConfig(await resolveTree(at, overridden));
  if (result.ok) return result.config;
  throw new EngineError('file-invalid', fromFile(plan.config_path, result.message));
}

async function readConfigFile(at: StepRun, path: string, vars: JsonObject = {}): Promise<JsonObject> {
  const text = await readArtifactFile(at, path, {
    noArtifact: () => `config path '${path}' does not specify where the file lives`,
    notFound: (artifact, file) => `task config '${artifact}/${file}' not found`,
  });
  try {
    const tree = parseYaml(text);
    return asTree(Object.keys(vars).length > 0 ? await interpolateWith(vars, tree) : tree);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new EngineError('file-invalid', fromFile(path, `error converting YAML to JSON: ${error.message}`), {
      cause: error,
    });
  }
}

function fromFile(path: string | undefined, message: string): string {
  return path ? `failed to create task config from bytes ${path}: ${message}` : message;
}

/** What is no map is left for the reader to complain about. */
function asTree(tree: unknown): JsonObject {
  return tree as JsonObject;
}

function overrideLimits(tree: JsonObject, { container_limits }: TaskPlan): JsonObject {
  if (!container_limits) return tree;
  return { ...tree, container_limits: { ...(tree['container_limits'] as JsonObject), ...container_limits } };
}

async function overrideParams(at: StepRun, tree: JsonObject, params: JsonObject): Promise<JsonObject> {
  const names = Object.keys(params);
  if (names.length === 0) return tree;
  const own = (tree['params'] ?? {}) as JsonObject;
  for (const name of names.filter((known) => !Object.hasOwn(own, known))) {
    await at.events.line('stderr', `[WARNING] ${name} was defined in pipeline but missing from task file`);
  }
  return { ...tree, params: { ...own, ...params } };
}

async function resolveTree(at: StepRun, tree: JsonObject): Promise<Json> {
  try {
    return await resolveVars(at, tree);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new EngineError('file-invalid', `failed to interpolate task config: ${error.message}`, { cause: error });
  }
}
