import { posix } from 'node:path';
import { parseDuration, type TaskConfig, type TaskPlan } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { ShownTaskConfig } from '../../events.ts';
import type { ArtifactRef, BuildInfo, StepDefaults, StepImage, TaskRequest } from '../../seams.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { BuildState } from '../../walk/build-state.ts';
import type { BuildWalk } from '../../walk/build-walk.ts';
import type { Step } from '../../walk/step.ts';
import type { StepPlace, StepVisit } from '../../walk/step-visit.ts';
import { attendProcess } from '../attend-process.ts';
import { leafStep, type Worked } from '../leaf.ts';
import { taskEnv } from '../resource/build-env.ts';
import { resolveRun } from './entry-point.ts';
import { resolveTaskConfig } from './task-config.ts';
import { resolveTaskImage } from './task-image.ts';

interface Ran {
  /** Undefined: the task was interrupted. */
  readonly exitStatus?: number;
  readonly outputs: Readonly<Record<string, ArtifactRef>>;
}

/** Runs a task. Once the task has run, its outputs are artifacts, however it ended. */
export function taskStep(walk: BuildWalk, place: StepPlace, plan: TaskPlan): Step {
  return leafStep<Ran>(walk, place, {
    work: (visit) => runTask(visit, plan),
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

async function runTask(visit: StepVisit, plan: TaskPlan): Promise<Worked<Ran>> {
  const written = await resolveTaskConfig(visit, plan);
  const { secrets, seams, build } = visit.walk;
  const { defaults = {} } = seams;
  await visit.events.emit('initialize-task', { config: shownConfig(written, secrets) });
  const image = await resolveTaskImage(visit, plan, written);
  const config = { ...written, run: await resolveRun(visit, written.run, image) };
  const inputs = taskInputs(plan, config, visit.state);
  const request = taskRequest(build, plan, config, image, inputs, defaults);
  const options = {
    stepName: plan.name,
    timeout: plan.timeout || defaults.taskTimeout,
    onStarting: () => visit.events.emit('start-task', { config: shownConfig(config, secrets) }),
  };
  return attendProcess(visit, options, async (io) => {
    const done = await seams.orchestrator.task(io, request);
    return { done, interrupted: done.exitStatus === undefined ? io.signal.reason : undefined };
  });
}

function taskInputs(plan: TaskPlan, config: TaskConfig, { artifacts }: BuildState): TaskRequest['inputs'] {
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
  defaults: StepDefaults,
): TaskRequest {
  const { run, outputs = [], caches = [], params = {} } = config;
  const limits = { ...defaults.taskLimits, ...config.container_limits };
  return {
    image,
    platform: config.platform,
    tags: plan.tags ?? [],
    path: run.path,
    args: run.args ?? [],
    ...(run.dir ? { dir: pathInTask(run.dir) } : {}),
    ...(run.user ? { user: run.user } : {}),
    env: { ...taskEnv(build), ...params },
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    hermetic: plan.hermetic ?? false,
    inputs,
    outputs: outputs.map(({ name, path }) => ({ name, path: pathInTask(path || name) })),
    caches: caches.map(({ path, ttl = defaults.taskCacheTtl }) => ({ path: pathInTask(path), ...ttlOf(ttl) })),
    ...(build.jobId === undefined ? {} : { cacheOwner: { jobId: build.jobId } }),
  };
}

function ttlOf(ttl: string | undefined): { ttlMs?: number } {
  return ttl ? { ttlMs: parseDuration(ttl) } : {};
}

/** An absolute path, or a path below the task's directory: `..` is dropped. */
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
