import { setTimeout as sleep } from 'node:timers/promises';
import { comparableEvents, parseEventStream } from './build-events.ts';
import type { Observing } from './observe.ts';
import { PlanPlaces } from './plan-places.ts';
import { inSameForm } from './same-form.ts';
import type { Side } from './side.ts';

const POLL_MS = 500;
const TEAM = '/teams/main';
const ENDED = ['succeeded', 'failed', 'errored', 'aborted'];

interface Build {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

interface Job {
  readonly name: string;
  readonly plan?: unknown;
}

/**
 * Runs each job once, in the order of the pipeline, and returns its builds by job and name. A job that a new version
 * triggers is left to do so. Each build ends before the next job is triggered, so that both servers resolve the same inputs.
 */
export async function observeBuilds(
  observing: Observing,
  pipeline: string,
  jobs: readonly Job[],
): Promise<Record<string, unknown>> {
  const { side } = observing;
  await side.fly('unpause-pipeline', '-p', pipeline);
  const seen: Record<string, unknown> = {};
  for (const job of jobs) {
    const first = await firstBuild(observing, pipeline, job);
    if (typeof first === 'string') seen[job.name] = first;
  }
  for (const job of jobs) {
    for (const build of await buildsOf(side, pipeline, job.name)) {
      seen[`${job.name} #${build.name}`] = await observeBuild(side, build);
    }
  }
  return seen;
}

/** The job's first build when it has ended; otherwise why there is none. */
async function firstBuild(observing: Observing, pipeline: string, job: Job): Promise<Build | string> {
  const { side, buildTimeoutMs, signal } = observing;
  if (!hasTrigger(job.plan)) {
    const triggered = await side.fly('trigger-job', '-j', `${pipeline}/${job.name}`);
    if (triggered.code !== 0) return `fly does not trigger it: ${triggered.stderr.trim()}`;
  }
  const deadline = performance.now() + buildTimeoutMs;
  for (;;) {
    const build = (await buildsOf(side, pipeline, job.name)).find(({ name }) => name === '1');
    if (build && ENDED.includes(build.status)) return build;
    if (performance.now() > deadline) {
      if (build) await side.fly('abort-build', '-b', String(build.id));
      return build ? `did not end: ${build.status}` : 'was not triggered';
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function hasTrigger(plan: unknown): boolean {
  return /"trigger":true/.test(JSON.stringify(plan ?? null));
}

async function buildsOf(side: Side, pipeline: string, job: string): Promise<readonly Build[]> {
  const path = `${TEAM}/pipelines/${pipeline}/jobs/${encodeURIComponent(job)}/builds`;
  return (JSON.parse(await side.get(path)) as readonly Build[]).toReversed();
}

async function observeBuild(side: Side, build: Build): Promise<unknown> {
  if (!ENDED.includes(build.status)) return { status: build.status };
  const shown = await side.find(`/builds/${build.id}/plan`);
  if (shown === undefined) return { status: build.status, plan: 'none: it never started' };
  const { plan } = JSON.parse(shown) as { plan: unknown };
  const places = new PlanPlaces();
  places.add(plan);
  const { inputs, outputs } = JSON.parse(await side.get(`/builds/${build.id}/resources`)) as Record<string, unknown>;
  return {
    status: build.status,
    plan: inSameForm(plan, places),
    inputs: byName(inputs),
    outputs: byName(outputs),
    ...comparableEvents(plan, parseEventStream(await side.events(build.id))),
  };
}

/** The order of inputs and outputs has no meaning. */
function byName(list: unknown): unknown {
  const items = (list ?? []) as readonly { readonly name: string }[];
  return inSameForm(items.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}
