import { parseYaml, readPipeline } from '@seaplane/config';
import { makeIdentityKey } from '@seaplane/credentials/testing';
import { configToSave, ensureMainTeam, findJob, type Notifications, savePipeline, unpausePipeline } from '@seaplane/db';
import { type OpenHost, systemClock, type WorkerConfig } from '@seaplane/orchestrator';
import { InMemoryHost, KilledBy, type Program } from '@seaplane/orchestrator/testing';
import type pg from 'pg';
import { Background } from '../background.ts';

const PERIODS = { checkMs: 600_000, rotationMs: 168 * 3_600_000, graceMs: 24 * 3_600_000 };

/** A worker without machines. Several webs use it at once, as they would use one cluster. */
export class TestWorker extends InMemoryHost implements OpenHost {
  readonly config: WorkerConfig;
  /** The digest of its configuration. */
  entry = 'the first';
  readonly #started: Map<string, number>;

  constructor(name: string, ends: Readonly<Record<string, Promise<void>>> = {}) {
    const started = new Map<string, number>();
    super(
      name,
      programs((what) => started.set(what, (started.get(what) ?? 0) + 1), ends),
    );
    this.config = { name, platform: 'linux', tags: [], baseTypes: { mock: { image: 'mock', privileged: false } } };
    this.#started = started;
  }

  /** How many processes of a task, or of a resource's scripts, were started in all builds. */
  started(what: string): number {
    return this.#started.get(what) ?? 0;
  }

  [Symbol.dispose](): void {} // it outlives the webs that use it
}

/** A resource's scripts use the name and the versions in its source. A task runs until its end in `ends`, if it has one. */
function programs(
  onStart: (what: string) => void,
  ends: Readonly<Record<string, Promise<void>>>,
): Record<string, Program> {
  const script =
    (answer: (stdin: { source: { name: string; versions?: unknown[] }; version?: object }) => unknown): Program =>
    async ({ request, stdout }) => {
      const stdin = JSON.parse(request.stdin);
      onStart(`${request.path.slice('/opt/resource/'.length)} ${stdin.source.name}`);
      stdout(JSON.stringify(answer(stdin)));
      return 0;
    };
  return {
    '/opt/resource/check': script(({ source }) => source.versions ?? []),
    '/opt/resource/in': script(({ version }) => ({ version })),
    '/opt/resource/out': script(({ source }) => ({ version: { put: source.name } })),
    task: async ({ request, stopped }) => {
      const [name = ''] = request.args;
      onStart(`task ${name}`);
      await Promise.race([ends[name], new Promise((resolve) => stopped.addEventListener('abort', resolve))]);
      if (stopped.aborted) throw new KilledBy(15);
      return 0;
    },
  };
}

export interface TestWebOptions {
  readonly pool: pg.Pool;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly intervalMs: number;
  readonly workers: readonly TestWorker[];
}

/** The background work of a web, as `serve` starts it. */
export interface TestWeb extends AsyncDisposable {
  readonly background: Background;
  /** The problems that an operator would read. */
  readonly problems: readonly string[];
}

export async function startTestWeb({ workers, ...options }: TestWebOptions): Promise<TestWeb> {
  const problems: string[] = [];
  const background = await Background.start({
    ...options,
    collectionPool: options.pool,
    clock: systemClock,
    externalUrl: 'http://test',
    workers: workers.map((host) => ({ config: host.config, host, entry: host.entry })),
    // Small keys, which are made quickly.
    identity: { issuer: 'http://test', periods: PERIODS, makeKey: (algorithm) => makeIdentityKey(algorithm, 1024) },
    redactSecrets: true,
    stepDefaults: {},
    maxChecksPerSecond: 0,
    logger: { info: () => {}, warn: (problem: string) => void problems.push(problem) },
    reportTrouble: (what, error) => void problems.push(`${what}: ${(error as Error).message}`),
  });
  return { background, problems, [Symbol.asyncDispose]: () => background[Symbol.asyncDispose]() };
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
