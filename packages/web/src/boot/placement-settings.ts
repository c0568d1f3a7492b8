import { PLACEMENT_DEFAULTS, type PlacementSettings, STRATEGIES, type Strategy } from '@seaplane/orchestrator';
import { parseWholeNumber } from './loop-settings.ts';
import { Mistake, whereSet } from './mistake.ts';

/** Names and meanings are Concourse's. */
export const PLACEMENT_FLAGS = [
  'container-placement-strategy',
  'no-input-container-placement-strategy',
  'check-container-placement-strategy',
  'max-active-tasks-per-worker',
  'max-active-containers-per-worker',
  'max-active-volumes-per-worker',
  'enable-rerun-when-worker-disappears',
] as const;
type Flag = (typeof PLACEMENT_FLAGS)[number];
type Read = (flag: Flag) => string | undefined;

export const PLACEMENT_HELP = `
  --container-placement-strategy S,...  how a worker is     SEAPLANE_CONTAINER_PLACEMENT_STRATEGY, default
                     chosen among several                   volume-locality
                     (docs/operators/targets.md#several-targets)
  --no-input-container-placement-strategy S,...  for gets   SEAPLANE_NO_INPUT_CONTAINER_PLACEMENT_STRATEGY, default
                     and checks of images                   the former
  --check-container-placement-strategy S,...  for checks    SEAPLANE_CHECK_CONTAINER_PLACEMENT_STRATEGY, default
                                                            random
  --max-active-tasks-per-worker N       0: no limit         SEAPLANE_MAX_ACTIVE_TASKS_PER_WORKER, default 0
  --max-active-containers-per-worker N                      SEAPLANE_MAX_ACTIVE_CONTAINERS_PER_WORKER, default 0
  --max-active-volumes-per-worker N                         SEAPLANE_MAX_ACTIVE_VOLUMES_PER_WORKER, default 0
  --enable-rerun-when-worker-disappears BOOL  whether a     SEAPLANE_ENABLE_RERUN_WHEN_WORKER_DISAPPEARS, default
                     task that lost its node runs again     false (docs/operators/targets.md#drained-and-lost-nodes)`;

/** Reads how steps choose among workers. Pure. */
export function parsePlacement(read: Read): PlacementSettings {
  const build = chain(read, 'container-placement-strategy', PLACEMENT_DEFAULTS.build, STRATEGIES);
  const withoutInputs = STRATEGIES.filter((strategy) => strategy !== 'volume-locality');
  return {
    build,
    noInput: chain(read, 'no-input-container-placement-strategy', build, withoutInputs),
    check: chain(read, 'check-container-placement-strategy', PLACEMENT_DEFAULTS.check, withoutInputs),
    maxTasks: parseWholeNumber(read, 'max-active-tasks-per-worker'),
    maxSandboxes: parseWholeNumber(read, 'max-active-containers-per-worker'),
    maxArtifacts: parseWholeNumber(read, 'max-active-volumes-per-worker'),
    rerunStartedTasks: flag(read, 'enable-rerun-when-worker-disappears'),
  };
}

function chain(
  read: Read,
  flag: Flag,
  byDefault: readonly Strategy[],
  known: readonly Strategy[],
): readonly Strategy[] {
  const text = read(flag);
  if (text === undefined) return byDefault;
  return text.split(',').map((part) => {
    const strategy = known.find((name) => name === part.trim());
    if (strategy) return strategy;
    throw new Mistake(`"${part.trim()}" is not a strategy: give some of ${known.join(', ')} ${whereSet(flag)}`);
  });
}

function flag(read: Read, name: Flag): boolean {
  const text = read(name) ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Mistake(`"${text}" is neither true nor false ${whereSet(name)}`);
}
