import { parseYaml, readPipeline } from '@seaplane/config';
import {
  configToSave,
  createResources,
  ensureMainTeam,
  findJob,
  Locks,
  type Notifications,
  savePipeline,
  unpausePipeline,
} from '@seaplane/db';
import { memorySeams, newWorld, type Script, type World } from '@seaplane/engine/testing';
import { systemClock } from '@seaplane/orchestrator';
import type pg from 'pg';
import { BuildTracker } from '../build-tracker.ts';
import { type CollectedHost, Collector } from '../collector.ts';
import { JobScheduler } from '../job-scheduler.ts';
import { ResourceChecker } from '../resource-checker.ts';

/** Where steps run: scripts instead of processes, by the name of the step, and a world for each build. */
export class TestWorlds {
  readonly scripts: Record<string, Script> = {};
  readonly #byBuild = new Map<number, World>();

  of(buildId: number): World {
    const world = this.#byBuild.get(buildId) ?? newWorld(this.scripts);
    this.#byBuild.set(buildId, world);
    return world;
  }

  /** How many processes of a step were started, in all builds. */
  started(stepName: string): number {
    const worlds = [...this.#byBuild.values()];
    return worlds.flatMap(({ processes }) => [...processes.values()]).filter((each) => each.stepName === stepName)
      .length;
  }
}

export interface TestRoomOptions {
  readonly pool: pg.Pool;
  readonly worlds: TestWorlds;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly sweepMs: number;
  readonly hosts?: readonly CollectedHost[];
}

/** The loops of one web as the engine room has them, but for the places that steps run in. */
export class TestRoom implements AsyncDisposable {
  /** What went wrong, as an operator would read it. */
  readonly problems: string[] = [];
  readonly #parts = new AsyncDisposableStack();

  constructor({ pool, worlds, notifications, sweepMs, hosts = [] }: TestRoomOptions) {
    const onError = (error: unknown, what: string) => void this.problems.push(`${what}: ${(error as Error).message}`);
    const locks = this.#parts.use(new Locks(pool));
    const resources = createResources({ pool, locks });
    const common = { pool, locks, notifications, sweepMs, onError };
    this.#parts.use(new Collector({ ...common, hosts: () => hosts }));
    this.#parts.use(
      new BuildTracker({
        ...common,
        externalUrl: 'http://test',
        seamsFor: ({ id }, journal) => ({ ...memorySeams(worlds.of(id), journal, systemClock), resources }),
      }),
    );
    this.#parts.use(
      new JobScheduler({
        ...common,
        db: pool,
        clock: systemClock,
        onError: (error) => onError(error, 'scheduling a job'),
        onLoopError: onError,
      }),
    );
    this.#parts.use(new ResourceChecker(common));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** Sets and unpauses a pipeline of the team `main`. Returns the ids of its jobs by name. */
export async function setPipeline(pool: pg.Pool, name: string, yaml: string): Promise<Record<string, number>> {
  const parsed = readPipeline(parseYaml(yaml));
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  const { id: teamId } = await ensureMainTeam(pool, {});
  const saved = await savePipeline(pool, {
    teamId,
    ref: { name },
    pipeline: configToSave(parsed.config),
    fromVersion: 0,
  });
  if (saved.kind !== 'saved') throw new Error(saved.kind);
  await unpausePipeline(pool, saved.pipelineId);
  const jobs = parsed.config.jobs.map(async (job) => [job.name, (await findJob(pool, saved.pipelineId, job.name))?.id]);
  return Object.fromEntries(await Promise.all(jobs));
}
