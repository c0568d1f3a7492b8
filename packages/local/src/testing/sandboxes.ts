import type { BaggageclaimClient, ProcessEnd, RunRequest } from '@seaplane/baggageclaim';
import { HostError, type OpenHost, type SandboxSpec, type SandboxState } from '@seaplane/orchestrator';
import { HOST_IMAGE } from '../protocol.ts';

export function specOf(handle: string, change: Partial<SandboxSpec> = {}): SandboxSpec {
  const labels = { type: 'task', team: 'main', step: 'test' } as const;
  return {
    handle,
    image: { reference: HOST_IMAGE },
    privileged: false,
    hermetic: false,
    mounts: [],
    labels,
    ...change,
  };
}

/** The first state of a sandbox with this phase. Watches again when the agent ends meanwhile. */
export async function untilPhase<P extends SandboxState['phase']>(
  host: OpenHost,
  handle: string,
  phase: P,
): Promise<Extract<SandboxState, { phase: P }>> {
  const signal = AbortSignal.timeout(60_000);
  for (;;) {
    const state = await stateOf(host, handle, phase, signal).catch((error: unknown) => {
      if (!(error instanceof HostError) || error.code !== 'unreachable') throw error;
    });
    signal.throwIfAborted();
    if (state?.phase === phase) return state as Extract<SandboxState, { phase: P }>;
    if (state?.phase === 'failed') throw new Error(`${handle} failed: ${state.reason}`);
  }
}

async function stateOf(host: OpenHost, handle: string, phase: string, signal: AbortSignal) {
  const enough = new AbortController();
  try {
    for await (const event of host.watch(AbortSignal.any([signal, enough.signal]))) {
      if (event.kind !== 'state' || event.handle !== handle) continue;
      if (event.state.phase === phase || event.state.phase === 'failed') return event.state;
    }
  } finally {
    enough.abort();
  }
  return undefined;
}

/** A sandbox that is ready. */
export async function sandbox(host: OpenHost, spec: SandboxSpec): Promise<BaggageclaimClient> {
  await host.create(spec, AbortSignal.timeout(60_000));
  await untilPhase(host, spec.handle, 'ready');
  return host.connect(spec.handle);
}

export function shellRequest(id: string, script: string, change: Partial<RunRequest> = {}): RunRequest {
  const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
  return { id, attempt: `${id}-1`, path: 'sh', args: ['-c', script], ...plain, ...change };
}

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly end: ProcessEnd | undefined;
  readonly outOfMemory: boolean;
}

/** Follows a process to its end. `onText` is called with the output so far. */
export async function finish(
  client: BaggageclaimClient,
  { id, attempt }: Pick<RunRequest, 'id' | 'attempt'>,
  onText: (stdout: string) => void = () => {},
): Promise<Finished> {
  const text = { stdout: '', stderr: '' };
  const signal = AbortSignal.timeout(100_000);
  for await (const item of client.output({ id, attempt }, { stdout: 0, stderr: 0 }, signal)) {
    if (item.kind === 'exit') {
      return { ...text, end: item.record.end, outOfMemory: item.record.outOfMemory !== undefined };
    }
    text[item.kind] += Buffer.from(item.bytes).toString();
    onText(text.stdout);
  }
  return { ...text, end: undefined, outOfMemory: false };
}

/** Runs a shell script to its end. */
export async function shell(client: BaggageclaimClient, id: string, script: string): Promise<Finished> {
  const request = shellRequest(id, script);
  await client.run(request, AbortSignal.timeout(60_000));
  return finish(client, request);
}
