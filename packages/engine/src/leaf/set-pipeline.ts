import { type JsonObject, parseYaml, type SetPipelinePlan } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import { formatInstanceVars } from '../instance-vars.ts';
import type { BuildInfo, SetPipelineResult } from '../seams.ts';
import type { Outcome, Step } from '../step.ts';
import type { StepEvents } from '../step-events.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { readArtifactFile } from './artifact-file.ts';
import { leafStep } from './leaf.ts';
import { resolveVars } from './variables.ts';

interface WasSet {
  /** As people read it: `name/branch:main`. */
  readonly shownName: string;
  readonly result: SetPipelineResult;
}

const NEWER = '\u001b[1;33mWARNING: a newer build has set this pipeline, so it was not set again\u001b[0m';

/** Sets a pipeline from a file that an earlier step left. */
export function setPipelineStep(run: BuildRun, place: StepPlace, plan: SetPipelinePlan): Step {
  return leafStep<WasSet>(run, place, {
    work: async (at) => ({ done: await setPipeline(at, plan) }),
    conclude: (done, { events }) => report(done, events),
  });
}

async function setPipeline(at: StepRun, written: SetPipelinePlan): Promise<WasSet> {
  const { build, seams } = at.run;
  await at.events.emit('initialize', {});
  const { name: asWritten, ...rest } = written;
  const plan = { name: asWritten, ...((await resolveVars(at, rest as JsonObject)) as Omit<SetPipelinePlan, 'name'>) };
  const { name, team, instanceVars } = targetOf(build, plan);
  if (!plan.file) throw new EngineError('file-missing', 'file is not specified');
  const configText = await readPipelineFile(at, plan.file);
  const varFiles: JsonObject[] = [];
  for (const path of plan.var_files ?? []) {
    varFiles.push((parseYaml(await readPipelineFile(at, path)) ?? {}) as JsonObject);
  }
  await at.events.emit('start', {});
  const result = await seams.pipelines.setPipeline(build, {
    planId: at.id,
    name,
    ...(team ? { team } : {}),
    ...(instanceVars ? { instanceVars } : {}),
    configText,
    vars: [instanceVars ?? {}, plan.vars ?? {}, ...varFiles],
  });
  return { shownName: shownName(name, instanceVars), result };
}

/** `self` is the pipeline that the build belongs to, wherever else the step points. */
function targetOf(build: BuildInfo, plan: SetPipelinePlan) {
  if (plan.name !== 'self') return { name: plan.name, team: plan.team, instanceVars: plan.instance_vars };
  return { name: build.pipelineName ?? '', team: undefined, instanceVars: build.pipelineInstanceVars };
}

function readPipelineFile(at: StepRun, path: string): Promise<string> {
  return readArtifactFile(at, path, {
    noArtifact: () => `config path '${path}' does not specify where the file lives`,
    notFound: (artifact, file) => `file '${file}' not found within artifact '${artifact}'`,
  });
}

async function report({ shownName, result }: WasSet, events: StepEvents): Promise<Outcome> {
  for (const warning of result.warnings ?? []) await events.line('stderr', `WARNING: ${warning}`);
  if (result.kind === 'invalid') {
    const errors = result.errors.map((error) => `- ${error.trimEnd()}`);
    await events.line('stderr', ['invalid pipeline:', ...errors].join('\n'));
    await events.emit('finish', { succeeded: false });
    return 'failed';
  }
  const changed = result.kind === 'superseded' || result.changed;
  if (result.diff) await events.line('stdout', result.diff.replace(/\n$/, ''));
  await events.line('stdout', changed ? `setting pipeline: ${shownName}` : 'no changes to apply.');
  await events.emit('set-pipeline-changed', { changed });
  if (result.kind === 'superseded') await events.line('stderr', NEWER);
  else if (changed) await events.line('stdout', 'done');
  await events.emit('finish', { succeeded: true });
  return 'succeeded';
}

function shownName(name: string, instanceVars: JsonObject | undefined): string {
  return instanceVars ? `${name}/${formatInstanceVars(instanceVars)}` : name;
}
