import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { Clock, Endpoint, HostServices, SandboxSpec } from '@seaplane/orchestrator';
import type { Pod } from '../api/wire.ts';
import { createKubernetesHost, type KubernetesHost } from '../kubernetes-host.ts';
import type { Target } from '../target.ts';
import { FakeApiServer, type Stored } from './fake-api-server.ts';
import { fakeTarget } from './fake-target.ts';

export const PODS = '/api/v1/namespaces/ci/pods';
export const EVENTS = '/api/v1/namespaces/ci/events';
export const SERVICES = '/api/v1/namespaces/ci/services';

/** A host on a fake API server. Its clients are their endpoints; its clock runs by what is waited for. */
export interface FakeHost extends AsyncDisposable {
  readonly server: FakeApiServer;
  readonly host: KubernetesHost;
  readonly target: Target;
  readonly troubles: string[];
  /** For a second host on the same API server. */
  readonly services: HostServices;
  /** Gives a pod of ours a status, as a kubelet would. */
  setStatus(name: string, status: NonNullable<Pod['status']>): void;
}

export async function fakeHost(
  change: Partial<Target> = {},
  health: BaggageclaimClient['health'] = async () => ({ protocol: 1, version: '', handle: '', supervisor: true }),
  clock: Clock = steppingClock(),
  hasArtifact: BaggageclaimClient['hasArtifact'] = async () => false,
): Promise<FakeHost> {
  const server = await FakeApiServer.start();
  server.admit = admit;
  const fake = await fakeTarget(server.url);
  const target: Target = { ...fake.target, userNamespaces: 'on', ...change };
  const troubles: string[] = [];
  const services: HostServices = {
    installation: fake.target.installation,
    publicKey: 'PUBLIC',
    authorityKey: 'AUTHORITY-KEY',
    client: (endpoint: Endpoint) => ({ ...endpoint, health, hasArtifact }) as unknown as BaggageclaimClient,
    relay: () => Promise.reject(new Error('no relay')),
    onTrouble: (error) => troubles.push(error.message),
    clock,
  };
  const host = createKubernetesHost(target, services);
  return {
    server,
    services,
    host,
    target,
    troubles,
    setStatus(name, status) {
      const pod = server.get(PODS, name);
      if (!pod) throw new Error(`no pod ${name}`);
      server.put(PODS, { ...pod, status } as Pod);
    },
    async [Symbol.asyncDispose]() {
      host[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}

/** As a kubelet reports a sandbox that can be spoken to. */
export function runningStatus(podIP: string): NonNullable<Pod['status']> {
  const running = { startedAt: '2026-01-01T00:00:00Z' };
  const container = { name: 'baggageclaim', image: '', imageID: '', ready: true, restartCount: 0 };
  return { phase: 'Running', podIP, initContainerStatuses: [{ ...container, state: { running } }] };
}

export function specOf(handle: string, change: Partial<SandboxSpec> = {}): SandboxSpec {
  const labels = { type: 'task', team: 'main', step: 'unit' } as const;
  return { handle, image: { reference: 'x' }, privileged: false, hermetic: false, mounts: [], labels, ...change };
}

/** The addresses a real server hands out. */
function admit(path: string, object: Stored): void {
  if (path !== SERVICES) return;
  const service = object as { spec?: { clusterIP?: string; type?: string; ports?: { nodePort?: number }[] } };
  if (!service.spec) return;
  service.spec.clusterIP = '10.96.0.7';
  if (service.spec.type === 'NodePort' && service.spec.ports?.[0]) service.spec.ports[0].nodePort = 30123;
}

/** Each sleep moves it on, by a little less than was asked for if it is early. */
export function steppingClock(earlyMs = 0): Clock {
  const start = Date.parse('2026-01-01T00:00:00Z');
  let elapsed = 0;
  return {
    now: () => new Date(start + elapsed),
    elapsedMs: () => elapsed,
    async sleep(ms, signal) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      elapsed += Math.max(Math.min(ms, 1), ms - earlyMs);
    },
  };
}
