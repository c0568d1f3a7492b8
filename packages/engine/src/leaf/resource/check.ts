import type { CheckPlan, Version } from '@seaplane/config';
import type { CheckSession, ResolvedResource } from '../../seams.ts';
import type { BuildWalk } from '../../walk/build-walk.ts';
import { Drained, Interruption } from '../../walk/interruption.ts';
import type { Step } from '../../walk/step.ts';
import type { StepPlace, StepVisit } from '../../walk/step-visit.ts';
import { attendProcess } from '../attend-process.ts';
import { leafStep } from '../leaf.ts';
import { resolveResource } from './resource.ts';

const DEFAULT_TIMEOUT = '1h';

interface Checked {
  readonly succeeded: boolean;
  readonly latest?: Version;
}

/** Checks a resource for new versions, unless its last check is recent enough. */
export function checkStep(walk: BuildWalk, place: StepPlace, plan: CheckPlan): Step {
  return leafStep<Checked>(walk, place, {
    work: async (visit) => ({ done: await check(visit, plan) }),
    conclude: async ({ succeeded, latest }, { events, state }) => {
      await events.emit('finish', { succeeded });
      if (latest) state.versions.set(place.id, latest);
      return succeeded ? 'succeeded' : 'failed';
    },
  });
}

async function check(visit: StepVisit, plan: CheckPlan): Promise<Checked> {
  await visit.events.emit('initialize-check', { name: plan.name });
  const resource = await resolveResource(visit, plan, 'resource config creds evaluation: ');
  await using session = await visit.walk.seams.resources.beginCheck(visit.walk.build, plan, resource, visit.ctx.signal);
  if (session.skip) return { succeeded: true, ...session.skip };
  const versions = await runCheck(visit, plan, resource, session);
  if (versions) return { succeeded: true, ...(await session.recordVersions(versions)) };
  await session.recordFailure();
  return { succeeded: false };
}

/** The versions found. Undefined: the script failed. */
async function runCheck(
  visit: StepVisit,
  plan: CheckPlan,
  resource: ResolvedResource,
  session: CheckSession,
): Promise<readonly Version[] | undefined> {
  const from = plan.from_version ?? session.from;
  const options = {
    stepName: plan.name,
    timeout: plan.timeout || visit.walk.seams.defaults?.checkTimeout || DEFAULT_TIMEOUT,
    onStarting: () => visit.events.emit('start', {}),
  };
  try {
    const { exitStatus, result } = await attendProcess(visit, options, (io) =>
      visit.walk.seams.orchestrator.check(io, {
        ...resource,
        config: session.config,
        ...(plan.resource ? { resource: plan.resource } : {}),
        ...(from ? { from } : {}),
      }),
    );
    return exitStatus === 0 ? (result ?? []) : undefined;
  } catch (error) {
    if (error instanceof Drained) throw error;
    await session.recordFailure();
    if (error instanceof Interruption) throw error;
    throw new Error(`run check: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
