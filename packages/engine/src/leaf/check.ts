import type { CheckPlan, Version } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import { Drained, Interruption } from '../interruption.ts';
import type { CheckSession, ResolvedResource } from '../seams.ts';
import type { Step } from '../step.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { leafStep } from './leaf.ts';
import { resolveResource } from './resource.ts';
import { runProcess } from './run-process.ts';

const DEFAULT_TIMEOUT = '1h';

interface Checked {
  readonly succeeded: boolean;
  readonly latest?: Version;
}

/** Asks a resource for new versions, unless it was asked lately. */
export function checkStep(run: BuildRun, place: StepPlace, plan: CheckPlan): Step {
  return leafStep<Checked>(run, place, {
    work: async (at) => ({ done: await check(at, plan) }),
    conclude: async ({ succeeded, latest }, { events, state }) => {
      await events.emit('finish', { succeeded });
      if (latest) state.versions.set(place.id, latest);
      return succeeded ? 'succeeded' : 'failed';
    },
  });
}

async function check(at: StepRun, plan: CheckPlan): Promise<Checked> {
  await at.events.emit('initialize-check', { name: plan.name });
  const resource = await resolveResource(at, plan, 'resource config creds evaluation: ');
  await using session = await at.run.seams.resources.beginCheck(at.run.build, plan, resource, at.ctx.signal);
  if (session.skip) return { succeeded: true, ...session.skip };
  const versions = await runCheck(at, plan, resource, session);
  if (versions) return { succeeded: true, ...(await session.succeeded(versions)) };
  await session.failed();
  return { succeeded: false };
}

/** The versions found; nothing when the script failed. */
async function runCheck(
  at: StepRun,
  plan: CheckPlan,
  resource: ResolvedResource,
  session: CheckSession,
): Promise<readonly Version[] | undefined> {
  const from = plan.from_version ?? session.from;
  const options = {
    stepName: plan.name,
    timeout: plan.timeout || DEFAULT_TIMEOUT,
    onStarting: () => at.events.emit('start', {}),
  };
  try {
    const { exitStatus, result } = await runProcess(at, options, (io) =>
      at.run.seams.orchestrator.check(io, {
        ...resource,
        ...(plan.resource ? { resource: plan.resource } : {}),
        ...(from ? { from } : {}),
      }),
    );
    return exitStatus === 0 ? (result ?? []) : undefined;
  } catch (error) {
    if (error instanceof Drained) throw error;
    await session.failed();
    if (error instanceof Interruption) throw error;
    throw new Error(`run check: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
