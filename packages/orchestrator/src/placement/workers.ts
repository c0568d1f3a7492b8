import type { SandboxHost } from '../host/sandbox-host.ts';
import type { SandboxWatch } from '../host/sandbox-watch.ts';
import type { WorkerConfig } from '../host/worker-config.ts';
import { OrchestratorError } from '../orchestrator-error.ts';
import type { RoomQueue } from './room-queue.ts';

/** A worker as steps choose among them: its configuration, its open host and its state. */
export interface StepWorker extends WorkerConfig {
  readonly host: SandboxHost;
  readonly watch: SandboxWatch;
  /** Steps that wait until the host has room. */
  readonly room: RoomQueue;
  readonly state: 'running' | 'stalled' | 'landing' | 'landed' | 'retiring' | 'retired';
}

export interface Requirements {
  readonly platform?: string;
  readonly baseType?: string;
  readonly tags: readonly string[];
  readonly team: string;
  /** The step names no image, so that only hosts with an image of their own can run it. False: it names one. */
  readonly ownImage?: boolean;
}

/** Whether steps of the team may run on the worker, and use what others have made there. */
export function isForTeam({ team }: StepWorker, name: string): boolean {
  return team === undefined || team.toLowerCase() === name.toLowerCase();
}

/** The workers of this state that can take a step. If some of them belong to the step's team, only those. */
function compatibleWorkers(
  workers: readonly StepWorker[],
  needs: Requirements,
  state: StepWorker['state'],
): StepWorker[] {
  const compatible = workers.filter(
    (worker) =>
      worker.state === state &&
      isForTeam(worker, needs.team) &&
      (needs.platform === undefined || worker.platform === needs.platform) &&
      (needs.baseType === undefined || Object.hasOwn(worker.baseTypes, needs.baseType)) &&
      // A worker with tags takes only steps that ask for some of them, and must have all that a step asks for.
      (worker.tags.length === 0 || needs.tags.length > 0) &&
      needs.tags.every((tag) => worker.tags.includes(tag)),
  );
  const ofTeam = compatible.filter((worker) => worker.team !== undefined);
  const preferred = ofTeam.length > 0 ? ofTeam : compatible;
  // A worker that can't run the step gives a better reason than "no workers".
  const able = preferred.filter(({ host }) => canRun(host, needs));
  return able.length > 0 ? able : preferred;
}

function canRun(host: SandboxHost, { ownImage }: Requirements): boolean {
  if (ownImage === undefined) return true;
  return ownImage ? host.ownImage !== undefined : host.images !== 'none';
}

/** The worker that would take the step if it were not stalled, where no running worker can. */
export function stalledWorker(workers: readonly StepWorker[], needs: Requirements): StepWorker | undefined {
  if (compatibleWorkers(workers, needs, 'running').length > 0) return undefined;
  return compatibleWorkers(workers, needs, 'stalled')[0];
}

/** The running workers that can take a step. If there is none, the error explains why in Concourse's words. */
export function workersFor(
  workers: readonly StepWorker[],
  needs: Requirements,
): readonly [StepWorker, ...StepWorker[]] {
  const [first, ...others] = compatibleWorkers(workers, needs, 'running');
  if (first) return [first, ...others];
  if (workers.length === 0) throw new OrchestratorError('no-worker', 'no workers');
  const wanted = [
    ...(needs.baseType ? [`resource type '${needs.baseType}'`] : []),
    ...(needs.platform ? [`platform '${needs.platform}'`] : []),
    ...needs.tags.map((tag) => `tag '${tag}'`),
  ];
  throw new OrchestratorError('no-worker', `no workers satisfying: ${wanted.join(', ')}`);
}
