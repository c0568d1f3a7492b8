import type { BuildInfo, Clock, LogPosition, Orchestrator, StepIo, StepNotice } from '@seaplane/engine';
import type { ArtifactReader } from '../artifacts/artifact-reader.ts';
import { Artifacts } from '../artifacts/artifacts.ts';
import { SandboxWatch } from '../host/sandbox-watch.ts';
import { orchestratorFor } from '../orchestrator.ts';
import { PlacementPolicy } from '../placement/placement-policy.ts';
import { RoomQueue } from '../placement/room-queue.ts';
import { PLACEMENT_DEFAULTS, type PlacementSettings } from '../placement/strategies.ts';
import type { StepWorker } from '../placement/workers.ts';
import { systemClock } from '../system-clock.ts';
import { InMemoryHost } from './in-memory-host.ts';
import type { Program } from './in-memory-programs.ts';
import { InMemoryRecords } from './in-memory-records.ts';

/** A StepIo that keeps its notices and output. Pass `written` on over a restart, as the journal would. */
export interface TestIo extends StepIo {
  readonly written: { stdout: string; stderr: string };
  readonly notices: StepNotice[];
}

export interface TestBed extends AsyncDisposable {
  readonly host: InMemoryHost;
  readonly records: InMemoryRecords;
  readonly artifacts: Artifacts;
  readonly workers: readonly StepWorker[];
  /** The orchestrator of one web, for a build. Another test bed on the same hosts and records is a web after a restart. */
  orchestrator(buildId?: number): Orchestrator;
  io(planId: string, options?: IoOptions): TestIo;
  /** A step of a build on a worker; without a name, on the first. */
  reader(options?: ReaderOptions): ArtifactReader & { readonly notices: StepNotice[] };
}

interface ReaderOptions {
  readonly on?: string;
  readonly buildId?: number;
  readonly signal?: AbortSignal;
}

interface IoOptions {
  readonly signal?: AbortSignal;
  readonly written?: TestIo['written'];
  readonly buildId?: number;
}

export const BUILD: BuildInfo = {
  id: 42,
  name: '7',
  teamId: 1,
  teamName: 'main',
  jobId: 3,
  jobName: 'unit',
  pipelineId: 2,
  pipelineName: 'product',
  externalUrl: 'http://localhost:8080',
};

/** One web. A second one on the same hosts and records is the web after a restart. */
export interface TestWeb {
  readonly hosts?: readonly InMemoryHost[];
  readonly records?: InMemoryRecords;
  /** By worker; `running` is the default. */
  readonly states?: Readonly<Record<string, StepWorker['state']>>;
  readonly clock?: Clock;
  readonly proxyEnv?: StepWorker['proxyEnv'];
  /** By worker; none is the default. */
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  /** By worker; a worker without one is for all teams. */
  readonly teams?: Readonly<Record<string, string>>;
  readonly placement?: Partial<PlacementSettings>;
  /** Decides between equal workers. By default the first one is chosen. */
  readonly random?: () => number;
}

/** An orchestrator on an in-memory host whose base type `mock` has the given programs. */
export function testBed(programs: Readonly<Record<string, Program>>, web: TestWeb = {}): TestBed {
  const host = web.hosts?.[0] ?? new InMemoryHost('worker-1', programs);
  const records = web.records ?? new InMemoryRecords();
  const clock = web.clock ?? systemClock;
  const workers = (web.hosts ?? [host]).map(
    (each): StepWorker => ({
      ...testWorker(each, clock),
      ...(web.proxyEnv && { proxyEnv: web.proxyEnv }),
      tags: web.tags?.[each.name] ?? [],
      ...(web.teams?.[each.name] ? { team: web.teams[each.name] as string } : {}),
      get state() {
        return web.states?.[each.name] ?? 'running';
      },
    }),
  );
  const placement = new PlacementPolicy(clock, { ...PLACEMENT_DEFAULTS, ...web.placement }, web.random ?? (() => 0));
  const artifacts = new Artifacts(
    records,
    () => workers,
    () => {},
    clock,
  );
  return {
    host,
    records,
    artifacts,
    workers,
    orchestrator: (id = BUILD.id) =>
      orchestratorFor(
        { records, artifacts, workers: () => workers, placement, clock, onError: () => {} },
        { ...BUILD, id },
        async () => ({
          buildId: id,
          writer: 1,
        }),
      ),
    io: (planId, options = {}) => testIo(planId, options),
    reader({ on = host.name, buildId = BUILD.id, signal = AbortSignal.timeout(10_000) } = {}) {
      const worker = workers.find(({ name }) => name === on);
      if (!worker) throw new Error(`no worker ${on}`);
      const { notices, notice } = testIo('1', {});
      return { worker, build: { ...BUILD, id: buildId }, signal, notice, notices };
    },
    async [Symbol.asyncDispose]() {
      for (const { watch } of workers) await watch[Symbol.asyncDispose]();
    },
  };
}

/** A running worker on the host, with a watch that the caller disposes of. */
function testWorker(host: InMemoryHost, clock: Clock = systemClock): StepWorker {
  const watch = new SandboxWatch(host, () => {});
  const baseTypes = {
    mock: { image: 'mock:1', privileged: false },
    git: { image: 'git:1', privileged: false },
    'registry-image': { image: 'registry-image:1', privileged: false },
  };
  const room = new RoomQueue(watch, clock);
  return { name: host.name, host, watch, room, platform: 'linux', tags: [], baseTypes, state: 'running' };
}

function testIo(planId: string, options: IoOptions): TestIo {
  const written = options.written ?? { stdout: '', stderr: '' };
  const notices: StepNotice[] = [];
  /** The output of earlier processes of the step. */
  let before = { stdout: 0, stderr: 0 };
  return {
    written,
    notices,
    identity: { buildId: options.buildId ?? BUILD.id, planId, attempt: '', stepName: 'a-step' },
    signal: options.signal ?? new AbortController().signal,
    output: {
      position: async (): Promise<LogPosition> => ({
        stdout: written.stdout.length - before.stdout,
        stderr: written.stderr.length - before.stderr,
      }),
      write: async (stream, bytes) => {
        written[stream] += Buffer.from(bytes).toString();
      },
      flush: async () => {},
      restart: async () => {
        before = { stdout: written.stdout.length, stderr: written.stderr.length };
      },
    },
    notice: async (notice) => {
      notices.push(notice);
    },
  };
}
