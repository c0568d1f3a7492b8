import { posix } from 'node:path';
import type { TaskConfig, TaskPlan } from '@seaplane/config';
import { taskEnv } from '../build-env.ts';
import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import type { ShownTaskConfig } from '../events.ts';
import type { RunState } from '../run-state.ts';
import type { ArtifactRef, BuildInfo, StepImage, TaskRequest } from '../seams.ts';
import type { Secrets } from '../secrets.ts';
import type { Step } from '../step.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { leafStep, type Worked } from './leaf.ts';
import { runProcess } from './run-process.ts';
import { resolveTaskConfig } from './task-config.ts';
import { taskImage } from './task-image.ts';

interface Ran {
  /** None: it was interrupted. */
  readonly exitStatus?: number;
  readonly outputs: Readonly<Record<string, ArtifactRef>>;
}

/** Runs a task. Its outputs are artifacts however it ended, once it ran. */
export function taskStep(run: BuildRun, place: StepPlace, plan: TaskPlan): Step {
  return leafStep<Ran>(run, place, {
    work: (at) => runTask(at, plan),
    conclude: async ({ exitStatus, outputs }, { events, state }) => {
      for (const [name, artifact] of Object.entries(outputs)) {
        state.artifacts.set(plan.output_mapping?.[name] ?? name, artifact);
      }
      if (exitStatus === undefined) return 'failed';
      await events.emit('finish-task', { exit_status: exitStatus });
      return exitStatus === 0 ? 'succeeded' : 'failed';
    },
  });
}

async function runTask(at: StepRun, plan: TaskPlan): Promise<Worked<Ran>> {
  const config = await resolveTaskConfig(at, plan);
  const shown = { config: shownConfig(config, at.run.secrets) };
  await at.events.emit('initialize-task', shown);
  const image = await taskImage(at, plan, config);
  const inputs = taskInputs(plan, config, at.state);
  const request = taskRequest(at.run.build, plan, config, image, inputs);
  const options = {
    stepName: plan.name,
    timeout: plan.timeout,
    onStarting: () => at.events.emit('start-task', shown),
  };
  return runProcess(at, options, async (io) => {
    const done = await at.run.seams.orchestrator.task(io, request);
    return { done, interrupted: done.exitStatus === undefined ? io.signal.reason : undefined };
  });
}

function taskInputs(plan: TaskPlan, config: TaskConfig, { artifacts }: RunState): TaskRequest['inputs'] {
  const wanted = (config.inputs ?? []).map((input) => {
    const source = plan.input_mapping?.[input.name] ?? input.name;
    return { input, source, artifact: artifacts.get(source) };
  });
  const missing = wanted.filter(({ input, artifact }) => !artifact && !input.optional);
  if (missing.length > 0) {
    throw new EngineError('inputs-missing', `missing inputs: ${missing.map(({ source }) => source).join(', ')}`);
  }
  return wanted.flatMap(({ input, artifact }) =>
    artifact ? [{ name: input.name, path: pathInTask(input.path || input.name), artifact }] : [],
  );
}

function taskRequest(
  build: BuildInfo,
  plan: TaskPlan,
  config: TaskConfig,
  image: StepImage,
  inputs: TaskRequest['inputs'],
): TaskRequest {
  const { run, outputs = [], caches = [], container_limits: limits, params = {} } = config;
  return {
    image,
    tags: plan.tags ?? [],
    path: run.path,
    args: run.args ?? [],
    ...(run.dir ? { dir: pathInTask(run.dir) } : {}),
    ...(run.user ? { user: run.user } : {}),
    env: { ...taskEnv(build), ...params },
    ...(limits ? { limits } : {}),
    hermetic: plan.hermetic ?? false,
    inputs,
    outputs: outputs.map(({ name, path }) => ({ name, path: pathInTask(path || name) })),
    caches: caches.map(({ path }) => ({ path: pathInTask(path) })),
    ...(build.jobId === undefined ? {} : { cacheOwner: { jobId: build.jobId } }),
  };
}

/** A path below the task's directory, or an absolute one. None leads upwards. */
function pathInTask(path: string): string {
  return path.startsWith('/') ? path : posix.join('.', path.replaceAll('..', ''));
}

function shownConfig(config: TaskConfig, { redact }: Secrets): ShownTaskConfig {
  const { platform, rootfs_uri, run, inputs } = config;
  return {
    platform,
    image: redact(rootfs_uri ?? ''),
    run: { path: redact(run.path), args: run.args?.map(redact) ?? null, dir: redact(run.dir ?? '') },
    inputs: inputs?.map(({ name, path = '' }) => ({ name, path })) ?? null,
  };
}
