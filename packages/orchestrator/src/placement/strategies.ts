import { assertNever } from '@seaplane/config';
import type { WorkerLimits, WorkerLoad } from '../records.ts';

/** Ways to choose among the workers that can take a step. Names and meanings are Concourse's (atc/worker/placement.go). */
export const STRATEGIES = [
  'volume-locality',
  'random',
  'fewest-build-containers',
  'limit-active-tasks',
  'limit-active-containers',
  'limit-active-volumes',
] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The operator's choice: a chain of strategies for each group of steps, and the limits that some strategies use. */
export interface PlacementSettings {
  /** For tasks and puts. */
  readonly build: readonly Strategy[];
  /** For gets, and for checks of images. */
  readonly noInput: readonly Strategy[];
  /** For checks of resources. */
  readonly check: readonly Strategy[];
  /** The most that one worker may have. 0: no limit. */
  readonly maxTasks: number;
  readonly maxSandboxes: number;
  readonly maxArtifacts: number;
  /** Whether a task that had started runs again if it loses its sandbox to a drained or lost node. */
  readonly rerunStartedTasks: boolean;
}

/** Concourse's defaults. */
export const PLACEMENT_DEFAULTS: PlacementSettings = {
  build: ['volume-locality'],
  noInput: ['volume-locality'],
  check: ['random'],
  maxTasks: 0,
  maxSandboxes: 0,
  maxArtifacts: 0,
  rerunStartedTasks: false,
};

/** The kind of step that is to be placed. */
export type PlacedType = 'task' | 'put' | 'get' | 'image-check' | 'check';

export function chainFor(settings: PlacementSettings, type: PlacedType): readonly Strategy[] {
  switch (type) {
    case 'task':
    case 'put':
      return settings.build;
    case 'get':
    case 'image-check':
      return settings.noInput;
    case 'check':
      return settings.check;
    default:
      return assertNever(type);
  }
}

/** The limits that a chain sets for a step of this type. Only tasks are limited by the number of tasks. */
export function limitsFor(settings: PlacementSettings, type: PlacedType): WorkerLimits {
  const chain = chainFor(settings, type);
  const limit = (strategy: Strategy, most: number) => (chain.includes(strategy) && most > 0 ? most : undefined);
  const tasks = type === 'task' ? limit('limit-active-tasks', settings.maxTasks) : undefined;
  const sandboxes = limit('limit-active-containers', settings.maxSandboxes);
  const artifacts = limit('limit-active-volumes', settings.maxArtifacts);
  return {
    ...(tasks === undefined ? {} : { tasks }),
    ...(sandboxes === undefined ? {} : { sandboxes }),
    ...(artifacts === undefined ? {} : { artifacts }),
  };
}

/** Whether a chain must know how much each worker has. */
export function usesLoads(chain: readonly Strategy[]): boolean {
  return chain.some((strategy) => strategy !== 'random' && strategy !== 'volume-locality');
}

/** Why a worker with this load takes no further step, in words. Undefined: it has room. */
export function refusalOf(load: WorkerLoad, limits: WorkerLimits): string | undefined {
  const exceeded = (
    [
      ['active tasks', load.tasks, limits.tasks],
      ['containers', load.sandboxes, limits.sandboxes],
      ['volumes', load.artifacts, limits.artifacts],
    ] as const
  ).find(([, has, most]) => most !== undefined && has >= most);
  if (!exceeded) return undefined;
  const [what, has, most] = exceeded;
  return `has too many ${what} (${has}, and may have ${most})`;
}

/** Facts about a worker that strategies compare. */
export interface WorkerFacts {
  /** How much of the step's image, inputs and caches the worker has. */
  readonly held: number;
  readonly load: WorkerLoad;
  /** A worker of equal rank comes first if this is smaller. */
  readonly tieBreak: number | string;
}

/**
 * Sorts workers by a chain of strategies: the first strategy counts most, and each further one decides between workers that
 * are equal for all before it. No worker is left out; a worker without room comes after those with room.
 */
export function orderWorkers<T extends WorkerFacts>(
  chain: readonly Strategy[],
  limits: WorkerLimits,
  type: PlacedType,
  workers: readonly T[],
): T[] {
  const ranks = (worker: T) => chain.map((strategy) => rankBy(strategy, limits, type, worker));
  return workers
    .map((worker) => ({ worker, ranks: ranks(worker) }))
    .sort((a, b) => firstDifference(a.ranks, b.ranks) || compareTies(a.worker, b.worker))
    .map(({ worker }) => worker);
}

function rankBy(strategy: Strategy, limits: WorkerLimits, type: PlacedType, { held, load }: WorkerFacts): number {
  switch (strategy) {
    case 'random':
      return 0;
    case 'volume-locality':
      return -held;
    case 'fewest-build-containers':
      return load.buildSandboxes;
    case 'limit-active-tasks':
      return type === 'task' ? load.tasks : 0;
    case 'limit-active-containers':
      return load.sandboxes >= (limits.sandboxes ?? Number.POSITIVE_INFINITY) ? 1 : 0;
    case 'limit-active-volumes':
      return load.artifacts >= (limits.artifacts ?? Number.POSITIVE_INFINITY) ? 1 : 0;
    default:
      return assertNever(strategy);
  }
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  return a.map((rank, index) => rank - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function compareTies(a: WorkerFacts, b: WorkerFacts): number {
  if (a.tieBreak === b.tieBreak) return 0;
  return a.tieBreak < b.tieBreak ? -1 : 1;
}
