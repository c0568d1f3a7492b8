import type { BaggageclaimClient, RunRequest } from '@seaplane/baggageclaim';
import type { KubernetesHost } from '@seaplane/kubernetes/testing';
import type { PhaseWatch } from './phase-watch.ts';

/** Milliseconds from asking for a step's sandbox. */
export interface StepTimes {
  /** Until its sidecar answers. */
  readonly ready: number;
  /** Until the first byte of its process has arrived. */
  readonly firstByte: number;
  /** Until its exit record has arrived. */
  readonly exit: number;
}

/** Starts a step as web does, follows it to its end, and returns when its pod has gone. */
export async function timeStep(
  host: KubernetesHost,
  watch: PhaseWatch,
  handle: string,
  image: string,
  signal: AbortSignal,
): Promise<StepTimes> {
  const labels = { type: 'task', team: 'main', step: 'bench' } as const;
  const ready = watch.next(handle, 'ready', signal);
  const start = performance.now();
  const since = () => performance.now() - start;
  await host.create(
    { handle, image: { reference: image }, privileged: false, hermetic: false, mounts: [], labels },
    signal,
  );
  await ready;
  const readyAt = since();
  const client = await host.connect(handle);
  const times = await timeProcess(client, since, signal);
  const gone = watch.next(handle, 'gone', signal);
  await host.destroy(handle);
  await gone;
  return { ready: readyAt, ...times };
}

async function timeProcess(client: BaggageclaimClient, since: () => number, signal: AbortSignal) {
  const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
  const request: RunRequest = { id: 'bench', attempt: '1', path: 'echo', args: ['x'], ...plain };
  await client.run(request, signal);
  let firstByte: number | undefined;
  for await (const item of client.output({ id: 'bench', attempt: '1' }, { stdout: 0, stderr: 0 }, signal)) {
    firstByte ??= since();
    if (item.kind !== 'exit') continue;
    if (item.record.end.kind !== 'exited') throw new Error(`the process did not run: ${JSON.stringify(item.record)}`);
    return { firstByte, exit: since() };
  }
  throw new Error('no exit record');
}
