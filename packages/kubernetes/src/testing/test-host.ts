import {
  type BaggageclaimClient,
  createClientFactory,
  createSigner,
  generateKeys,
  openRelay,
  type Signer,
} from '@seaplane/baggageclaim';
import { imageRef } from '@seaplane/dev-images';
import { type SandboxEvent, type SandboxSpec, type SandboxState, systemClock } from '@seaplane/orchestrator';
import { createKubernetesHost, type KubernetesHost } from '../kubernetes-host.ts';
import type { Target } from '../target.ts';

export interface TestHostOptions {
  /** Of another host of the same target: hosts with different keys replace each other's store. */
  readonly signer?: Signer;
  /** Default true. False: no pod answers at its address, as for a web outside of the cluster. */
  readonly routed?: boolean;
}

/** Nothing listens there. */
const NOWHERE = 'https://127.0.0.1:1';

export async function openTestHost(
  target: Target,
  { signer = createSigner(generateKeys().privateKey), routed = true }: TestHostOptions = {},
): Promise<KubernetesHost> {
  const authority = await signer.authorityOf(target.name);
  const client = createClientFactory(signer.sign, authority);
  return createKubernetesHost(target, {
    installation: target.installation,
    publicKey: signer.publicKey,
    authorityKey: authority.key,
    client: (endpoint) => client(routed || endpoint.connect ? endpoint : { ...endpoint, url: NOWHERE }),
    relay: (store, connection, signal) =>
      openRelay({ store, sign: signer.sign, clock: systemClock }, connection, signal),
    onTrouble: (error) => console.error(error.message),
    clock: systemClock,
  });
}

export function busyboxSpec(handle: string, change: Partial<SandboxSpec> = {}): SandboxSpec {
  const labels = { type: 'task', team: 'main', step: 'test' } as const;
  const image = { reference: imageRef('busybox') };
  return { handle, image, privileged: false, hermetic: false, mounts: [], labels, ...change };
}

/** The events of one sandbox, up to the first for which `done` returns true. */
export async function eventsUntil(
  host: KubernetesHost,
  handle: string,
  signal: AbortSignal,
  done: (event: SandboxEvent) => boolean,
): Promise<SandboxEvent[]> {
  const seen: SandboxEvent[] = [];
  for await (const event of host.watch(signal)) {
    if (!('handle' in event) || event.handle !== handle) continue;
    seen.push(event);
    if (done(event)) return seen;
  }
  signal.throwIfAborted();
  return seen;
}

export async function untilPhase(
  host: KubernetesHost,
  handle: string,
  phase: SandboxState['phase'],
  signal: AbortSignal,
): Promise<SandboxEvent[]> {
  return eventsUntil(host, handle, signal, (event) => event.kind === 'state' && event.state.phase === phase);
}

/** Runs a shell command in a sandbox and returns what it printed. */
export async function shell(
  client: BaggageclaimClient,
  id: string,
  script: string,
  signal: AbortSignal,
): Promise<string> {
  const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
  await client.run({ id, attempt: '1', path: 'sh', args: ['-c', script], ...plain }, signal);
  return outputOf(client, id, signal);
}

/** The output of the first attempt of a process, until it ends. */
export async function outputOf(client: BaggageclaimClient, id: string, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const item of client.output({ id, attempt: '1' }, { stdout: 0, stderr: 0 }, signal)) {
    if (item.kind !== 'exit') text += Buffer.from(item.bytes).toString();
  }
  return text;
}
