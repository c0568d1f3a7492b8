import {
  ConfigError,
  DOCUMENT_LIMITS,
  decodeYaml,
  formatInstanceVars,
  isRawNumber,
  type JsonObject,
  type SetPipelinePlan,
} from '@seaplane/config';
import { EngineError } from '../engine-error.ts';
import { LARGEST_EVENT } from '../output/output-log.ts';
import type { StepEvents } from '../output/step-events.ts';
import type { BuildInfo, SetPipelineResult } from '../seams.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import type { Outcome, Step } from '../walk/step.ts';
import type { StepPlace, StepVisit } from '../walk/step-visit.ts';
import { readArtifactFile } from './artifact-file.ts';
import { leafStep } from './leaf.ts';
import { resolveVars } from './variables.ts';

interface WasSet {
  /** For users: `name/branch:main`. */
  readonly shownName: string;
  readonly result: SetPipelineResult;
}

const NEWER = '\u001b[1;33mWARNING: the pipeline was not saved because it was already saved by a newer build\u001b[0m';

/** Sets a pipeline from a file that an earlier step left. */
export function setPipelineStep(walk: BuildWalk, place: StepPlace, plan: SetPipelinePlan): Step {
  return leafStep<WasSet>(walk, place, {
    work: async (visit) => ({ done: await setPipeline(visit, plan) }),
    conclude: (done, { events }) => report(done, events),
  });
}

async function setPipeline(visit: StepVisit, written: SetPipelinePlan): Promise<WasSet> {
  const { build, seams } = visit.walk;
  await visit.events.emit('initialize', {});
  const { name: asWritten, ...rest } = written;
  const plan = {
    name: asWritten,
    ...((await resolveVars(visit, rest as JsonObject)) as Omit<SetPipelinePlan, 'name'>),
  };
  const { name, team, instanceVars } = targetOf(build, plan);
  for (const [what, text = ''] of [['pipeline', name] as const, ['team', team] as const]) {
    if (text.includes('/')) throw new EngineError('invalid-plan', `${what} name cannot contain '/'`);
  }
  if (!plan.file) throw new EngineError('file-missing', 'file is not specified');
  const files = await readFiles(visit, plan);
  if (files instanceof ConfigError) {
    return { shownName: shownName(name, instanceVars), result: { kind: 'malformed', errors: [files.message] } };
  }
  await visit.events.emit('start', {});
  const request = {
    planId: visit.id,
    name,
    ...(team ? { team } : {}),
    ...(instanceVars ? { instanceVars } : {}),
    configText: files.configText,
    vars: [instanceVars ?? {}, plan.vars ?? {}, ...files.vars],
  };
  const result = await seams.pipelines.setPipeline(build, request, visit.ctx.signal);
  return { shownName: shownName(name, instanceVars), result };
}

/** `self` is the build's own pipeline; the step's team and instance_vars are ignored then. */
function targetOf(build: BuildInfo, plan: SetPipelinePlan) {
  if (plan.name !== 'self') return { name: plan.name, team: plan.team, instanceVars: plan.instance_vars };
  return { name: build.pipelineName ?? '', team: undefined, instanceVars: build.pipelineInstanceVars };
}

interface Files {
  readonly configText: string;
  /** One for each file of variables. */
  readonly vars: readonly JsonObject[];
}

/** Returns the mistake if a file is not UTF-8, or does not hold variables. */
async function readFiles(visit: StepVisit, { file, var_files = [] }: SetPipelinePlan): Promise<Files | ConfigError> {
  try {
    const configText = await readPipelineFile(visit, file, DOCUMENT_LIMITS.pipeline);
    const vars: JsonObject[] = [];
    for (const path of var_files) vars.push(await readVarFile(visit, path));
    return { configText, vars };
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function readVarFile(visit: StepVisit, path: string): Promise<JsonObject> {
  const text = await readPipelineFile(visit, path, DOCUMENT_LIMITS.vars);
  const vars = (await visit.walk.seams.yaml.parse(text, visit.ctx.signal, { lastKeyWins: true })) ?? {};
  if (typeof vars === 'object' && !Array.isArray(vars) && !isRawNumber(vars)) return vars as JsonObject;
  throw new ConfigError('invalid-yaml', `the file of variables ${path} is not a map`);
}

async function readPipelineFile(visit: StepVisit, path: string, maxBytes: number): Promise<string> {
  const bytes = await readArtifactFile(visit, path, maxBytes, {
    noArtifact: () => `config path '${path}' does not specify where the file lives`,
    notFound: (artifact, file) => `file '${file}' not found within artifact '${artifact}'`,
  });
  return decodeYaml(bytes);
}

async function report({ shownName, result }: WasSet, events: StepEvents): Promise<Outcome> {
  for (const warning of result.warnings ?? []) await events.writeLine('stderr', `WARNING: ${warning}`);
  if (result.kind === 'invalid' || result.kind === 'malformed') {
    const errors = result.errors.map((error) => `- ${error.trimEnd()}`);
    const title = result.kind === 'invalid' ? 'invalid pipeline:' : 'error parsing pipeline:';
    await events.writeLine('stderr', [title, ...errors].join('\n'));
    await events.emit('finish', { succeeded: false });
    return 'failed';
  }
  const changed = result.kind === 'superseded' || result.changed;
  if (result.diff) {
    for (const part of wholeLines(result.diff, LARGEST_EVENT)) await events.writeLine('stdout', part);
  }
  await events.writeLine('stdout', changed ? `setting pipeline: ${shownName}` : 'no changes to apply.');
  await events.emit('set-pipeline-changed', { changed });
  if (result.kind === 'superseded') await events.writeLine('stderr', NEWER);
  else if (changed) await events.writeLine('stdout', 'done');
  await events.emit('finish', { succeeded: true });
  return 'succeeded';
}

function shownName(name: string, instanceVars: JsonObject | undefined): string {
  return instanceVars ? `${name}/${formatInstanceVars(instanceVars)}` : name;
}

/** Cuts a text between lines, so that a part has at most about `size` characters, or is one line. */
function wholeLines(text: string, size: number): string[] {
  const parts: string[] = [];
  for (const line of text.split('\n')) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + line.length < size) parts[parts.length - 1] = `${last}\n${line}`;
    else parts.push(line);
  }
  return parts;
}
