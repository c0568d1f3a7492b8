import type { BuildInfo, LogPosition, Orchestrator, StepIo, StepNotice } from '@seaplane/engine';
import { Artifacts } from '../artifacts.ts';
import { orchestratorFor } from '../orchestrator.ts';
import { SandboxWatch } from '../sandbox-watch.ts';
import type { Worker } from '../workers.ts';
import { InMemoryHost } from './in-memory-host.ts';
import type { Program } from './in-memory-programs.ts';
import { InMemoryRecords } from './in-memory-records.ts';

/** A StepIo that remembers what it was told. `written` keeps over a restart, as the journal does. */
export interface TestIo extends StepIo {
  readonly written: { stdout: string; stderr: string };
  readonly notices: StepNotice[];
}

export interface TestBed extends AsyncDisposable {
  readonly host: InMemoryHost;
  readonly records: InMemoryRecords;
  readonly artifacts: Artifacts;
  /** As of one web: another one, on the same host and records, is what a restart is. */
  orchestrator(): Orchestrator;
  io(planId: string, options?: { signal?: AbortSignal; written?: TestIo['written'] }): TestIo;
}

const BUILD: BuildInfo = {
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

/** An orchestrator on an in-memory host whose base type `mock` has the given programs. */
export function testBed(programs: Readonly<Record<string, Program>>): TestBed {
  const host = new InMemoryHost('worker-1', programs);
  const records = new InMemoryRecords();
  const watch = new SandboxWatch(host, () => {});
  const worker: Worker = {
    host,
    watch,
    platform: 'linux',
    tags: [],
    baseTypes: { mock: { image: 'mock:1', privileged: false } },
    state: 'running',
  };
  const artifacts = new Artifacts(
    records,
    () => [worker],
    () => {},
  );
  return {
    host,
    records,
    artifacts,
    orchestrator: () => orchestratorFor({ records, artifacts, workers: () => [worker] }, BUILD),
    io: (planId, options = {}) => testIo(planId, options),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

function testIo(planId: string, options: { signal?: AbortSignal; written?: TestIo['written'] }): TestIo {
  const written = options.written ?? { stdout: '', stderr: '' };
  const notices: StepNotice[] = [];
  return {
    written,
    notices,
    identity: { buildId: BUILD.id, planId, attempt: '', stepName: 'a-step' },
    signal: options.signal ?? new AbortController().signal,
    output: {
      position: async (): Promise<LogPosition> => ({ stdout: written.stdout.length, stderr: written.stderr.length }),
      write: async (stream, bytes) => {
        written[stream] += Buffer.from(bytes).toString();
      },
      flush: async () => {},
    },
    notice: async (notice) => {
      notices.push(notice);
    },
  };
}
