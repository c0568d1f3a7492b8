import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import {
  type Clock,
  type Endpoint,
  HostError,
  type HostHealth,
  type HostLimits,
  type HostServices,
  type OpenHost,
  type SandboxEvent,
  type SandboxSpec,
  withSignal,
} from '@seaplane/orchestrator';
import { hasAnswer, hasCode } from './api/api-error.ts';
import { retryWhileAway } from './api/backoff.ts';
import { KnownRights } from './api/known-rights.ts';
import { KubeApi } from './api/kube-api.ts';
import { loadCluster } from './api/kubeconfig.ts';
import { collectionPath, create, get, type Namespace, remove } from './api/objects.ts';
import { createOwn, notOurs } from './api/own-objects.ts';
import { type Change, listAll } from './api/reflector.ts';
import { untilPod } from './api/until-pod.ts';
import { hasUserNamespaces } from './api/user-namespaces.ts';
import type { KubeObject, NetworkPolicy, Pod } from './api/wire.ts';
import { clearTarget } from './clear-target.ts';
import { dial } from './dial.ts';
import { checkHealth } from './health/health-check.ts';
import { nodePortProblem } from './health/node-port-probe.ts';
import { authoritySecret, secretName } from './pod/authority-secret.ts';
import { hermeticPolicy } from './pod/hermetic-policy.ts';
import { isOwn, KEY, ownSelector, podName } from './pod/labels.ts';
import { buildStepPod } from './pod/pod-building.ts';
import type { PodSettings } from './pod/pod-settings.ts';
import { addressOf } from './pod/pod-status.ts';
import { PodRooms } from './pod-rooms.ts';
import { QuotaWatch } from './quota-watch.ts';
import { handleOf, sandboxEvents } from './sandbox-events.ts';
import { steadyTime } from './steady-time.ts';
import { isOver, StoreKeeper } from './store/store-keeper.ts';
import type { Target } from './target.ts';
import { PodReach } from './tunnel/pod-reach.ts';
import { Tunnel } from './tunnel/tunnel.ts';

/** A step does not notice an API server that is away for a minute; the rest is for the last try. */
const API_PATIENCE_MS = 90_000;
/** A pod that we delete has nothing left to do. */
const DELETE_GRACE_SECONDS = 1;
/** A pod that should have gone this long ago is on a node that does not answer. */
const OVERDUE_MS = 30_000;

/**
 * Runs sandboxes as pods in a namespace of a cluster. The cluster is not asked anything before the host is used, so web
 * starts also while the cluster is away or its kubeconfig is wrong. {@link check} reports such problems.
 */
export class KubernetesHost implements OpenHost {
  readonly name: string;
  readonly limits: HostLimits;
  readonly pulls?: 'public';
  readonly #target: Target;
  readonly #services: HostServices;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #namespace: Namespace;
  readonly #store: StoreKeeper;
  readonly #tunnel: Tunnel;
  readonly #reach: PodReach;
  readonly #quotas: QuotaWatch;
  readonly #rooms: PodRooms;
  /** Addresses of pods by handle, kept up to date by the watch. */
  readonly #addresses = new Map<string, string>();
  readonly #rights: KnownRights;
  #userNamespaces: boolean | undefined;
  #authorityIsThere = false;
  #nodePortWorks = false;
  /** The store when it last ran. */
  #storeSeen: Endpoint | undefined;
  /** The store's address when it last answered. */
  #answeringStore: string | undefined;
  /** The store's address while it has not answered yet. */
  #silentStore: string | undefined;

  constructor(target: Target, services: HostServices) {
    this.name = target.name;
    this.#target = target;
    this.#services = services;
    this.#clock = services.clock;
    this.#now = steadyTime(services.clock);
    this.#namespace = {
      api: new KubeApi(() => loadCluster(target), services.clock, services.onTrouble),
      name: target.namespace,
    };
    if (target.registryImages === 'nodes') this.pulls = 'public';
    this.limits = { roomWaitMs: target.waitForRoomMs, keptSandboxes: target.keptPods };
    this.#rights = new KnownRights(this.#namespace.api, target, services.clock);
    this.#quotas = new QuotaWatch(this.#context());
    this.#rooms = new PodRooms(this.#context());
    const settings = async (signal: AbortSignal) => {
      await this.#ensureAuthority(signal);
      return this.#settings(signal);
    };
    this.#store = new StoreKeeper({ ...this.#context(), settings });
    const { client, relay } = services;
    const store = async () => (await this.#store.running()).endpoint.handle;
    this.#tunnel = new Tunnel({ ...this.#context(), name: this.name, relay, store });
    this.#reach = new PodReach({ client, tunnel: this.#tunnel, clock: this.#clock });
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<void> {
    await retryWhileAway(this.#clock, API_PATIENCE_MS, signal, async () => {
      const pod = buildStepPod(this.#target, await this.#stepSettings(spec, signal), spec);
      await this.#ensureAuthority(signal);
      if (spec.hermetic) await this.#ensureHermeticPolicy(signal);
      const { object } = await createOwn(this.#target, this.#namespace, 'pods', pod, signal);
      if (handleOf(object) !== spec.handle) throw notOurs(this.#target, this.#namespace, object);
      if (!object.metadata?.deletionTimestamp) return;
      // A pod that is being deleted holds its name a little longer.
      await untilPod(this.#context(), podName(spec.handle), signal, (seen) =>
        seen?.metadata?.uid === object.metadata?.uid ? undefined : true,
      );
      await createOwn(this.#target, this.#namespace, 'pods', pod, signal);
    }).catch((error: unknown) => {
      if (hasCode(error, 'quota')) this.#quotas.refused();
      throw error;
    });
  }

  release(handle: string, signal: AbortSignal): Promise<boolean> {
    return this.#rooms.release(handle, signal);
  }

  restore(handle: string, signal: AbortSignal): Promise<void> {
    return this.#rooms.restore(handle, signal);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<SandboxEvent> {
    let storeSeen = false;
    const onPod = (change: Change<Pod>) => {
      if (change.kind === 'synced') {
        if (!storeSeen) void this.#store.keep(signal);
      } else if (change.object.metadata?.labels?.[KEY.component] === 'store') {
        storeSeen = true;
        if (change.kind === 'present' && !isOver(change.object)) return;
        this.#store.lost();
        void this.#store.keep(signal);
      } else {
        this.#rememberAddress(change);
        this.#rooms.see(change);
      }
    };
    yield* sandboxEvents({ ...this.#context(), quotas: this.#quotas, onPod }, signal);
  }

  async connect(handle: string): Promise<BaggageclaimClient> {
    const direct = dial(handle, this.#addresses.get(handle) ?? (await this.#lookUpAddress(handle)));
    return this.#services.client(await this.#reach.endpoint(direct));
  }

  async store(): Promise<BaggageclaimClient> {
    const direct = (await this.#store.running()).endpoint;
    this.#storeSeen = direct;
    // The store's container runs before it listens, and an upload can be sent only once.
    if (this.#answeringStore !== direct.url) this.#silentStore = direct.url;
    const endpoint = await this.#reach.endpoint(direct, API_PATIENCE_MS);
    const client = this.#services.client({ ...endpoint, limits: this.#target.storeLimits });
    if (this.#answeringStore === direct.url) return client;
    const start = `the store of worker ${this.name}`;
    if (!this.#reach.words) throw new HostError('store', `${start} ${this.#reach.failure}`);
    await client.health(AbortSignal.timeout(API_PATIENCE_MS)).catch((cause: Error) => {
      throw new HostError('store', `${start} does not answer at ${direct.url} (${cause.message})`, { cause });
    });
    this.#answeringStore = endpoint.url;
    this.#silentStore = undefined;
    return client;
  }

  async imageReference(path: string, digest: string): Promise<string> {
    return `127.0.0.1:${(await this.#store.running()).nodePort}/${path}@${digest}`;
  }

  async destroy(handle: string): Promise<void> {
    const { signal } = new AbortController();
    const deletePod = (graceSeconds: number) =>
      retryWhileAway(this.#clock, API_PATIENCE_MS, signal, async () => {
        // Handles of two installations may be equal, so the pod is looked at first.
        const pod = await get<Pod>(this.#namespace, 'pods', podName(handle), signal);
        if (!pod || !isOwn(this.#target, pod)) return undefined;
        return remove<Pod>(this.#namespace, 'pods', podName(handle), graceSeconds, signal);
      });
    const rest = await deletePod(DELETE_GRACE_SECONDS);
    // The node can't confirm that the pod has ended. The pod's name is needed, and it never runs a process again.
    if (rest && isOverdue(rest, this.#now())) await deletePod(0);
  }

  async list(signal: AbortSignal): Promise<string[]> {
    const { objects } = await listAll<Pod>(
      {
        api: this.#namespace.api,
        path: collectionPath(this.#namespace, 'pods'),
        what: 'its pods',
        selectors: { labelSelector: ownSelector(this.#target, 'step') },
      },
      signal,
    );
    return objects.flatMap((pod) => handleOf(pod) ?? []);
  }

  async check(signal: AbortSignal): Promise<HostHealth> {
    this.#authorityIsThere = false; // somebody may have deleted it: the next step makes it again
    const parts = {
      target: this.#target,
      namespace: this.#namespace,
      rights: this.#rights,
      settings: (inner: AbortSignal) => this.#settings(inner),
      store: () => this.store(),
      storeWaitsFor: () => this.#storeWaitsFor(),
      nodePortProblem: (inner: AbortSignal) => this.#nodePortProblem(inner),
    };
    const [health] = await Promise.all([checkHealth(parts, signal), this.#reviewReach('tunnel')]);
    if (health.problems.length > 0) await this.#reviewReach('direct');
    const way = this.#reach.words;
    return { ...health, ...(way ? { way } : {}) };
  }

  async clear(signal: AbortSignal): Promise<boolean> {
    this.#store[Symbol.dispose](); // so that it is not made again
    const secret = secretName(this.#target, this.#services.publicKey);
    const grace = (object: KubeObject) => (isOverdue(object, this.#now()) ? 0 : DELETE_GRACE_SECONDS);
    return retryWhileAway(this.#clock, API_PATIENCE_MS, signal, () =>
      clearTarget(this.#target, this.#namespace, secret, grace, signal),
    );
  }

  [Symbol.dispose](): void {
    this.#quotas[Symbol.dispose]();
    this.#tunnel[Symbol.dispose]();
    this.#store[Symbol.dispose]();
    this.#namespace.api[Symbol.dispose]();
  }

  #context() {
    const { onTrouble } = this.#services;
    return { target: this.#target, namespace: this.#namespace, clock: this.#clock, onTrouble };
  }

  async #settings(signal: AbortSignal): Promise<PodSettings> {
    this.#userNamespaces ??= await hasUserNamespaces(this.#namespace.api, this.#target, signal);
    return { publicKey: this.#services.publicKey, userNamespaces: this.#userNamespaces };
  }

  /** The store must run before a hermetic step does: it takes part in the proof that the step's network is closed. */
  async #stepSettings(spec: SandboxSpec, signal: AbortSignal): Promise<PodSettings> {
    const settings = await this.#settings(signal);
    if (!spec.hermetic) return settings;
    const { handle, podUrl } = (await withSignal(this.#store.running(), signal)).endpoint;
    return { ...settings, witness: { name: handle, url: podUrl } };
  }

  /** Makes the Secret that our pods refer to. It can't be read, and one of its name is the same. */
  async #ensureAuthority(signal: AbortSignal): Promise<void> {
    if (this.#authorityIsThere) return;
    const { publicKey, authorityKey } = this.#services;
    try {
      await create(this.#namespace, 'secrets', authoritySecret(this.#target, publicKey, authorityKey), signal);
    } catch (error) {
      if (!hasAnswer(error, 'conflict')) throw error;
    }
    this.#authorityIsThere = true;
  }

  /** Looks each time: somebody may have deleted the policy, and then a step would not be hermetic. */
  async #ensureHermeticPolicy(signal: AbortSignal): Promise<void> {
    const policy = hermeticPolicy(this.#target);
    const there = await get<NetworkPolicy>(this.#namespace, 'networkpolicies', policy.metadata?.name ?? '', signal);
    if (!there) await createOwn(this.#target, this.#namespace, 'networkpolicies', policy, signal);
    else if (!isOwn(this.#target, there)) throw notOurs(this.#target, this.#namespace, there);
  }

  #rememberAddress(change: Exclude<Change<Pod>, { kind: 'synced' }>): void {
    const handle = handleOf(change.object);
    if (handle === undefined) return;
    const address = change.kind === 'present' ? addressOf(change.object) : undefined;
    if (address) this.#addresses.set(handle, address);
    else this.#addresses.delete(handle);
  }

  async #lookUpAddress(handle: string): Promise<string> {
    const { signal } = new AbortController();
    const pod = await retryWhileAway(this.#clock, API_PATIENCE_MS, signal, () =>
      get<Pod>(this.#namespace, 'pods', podName(handle), signal),
    );
    const address = pod && addressOf(pod);
    if (address) return address;
    const start = `worker ${this.name}: the pod ${podName(handle)}`;
    throw pod
      ? new HostError('not-ready', `${start} has no address yet`)
      : new HostError('deleted', `${start} does not exist`);
  }

  /** Looks whether the store is reached by another way than pods are now. */
  async #reviewReach(way: 'direct' | 'tunnel'): Promise<void> {
    if (this.#storeSeen) await this.#reach.review(way, this.#storeSeen);
  }

  #storeWaitsFor(): string {
    if (!this.#silentStore) return this.#store.waitsFor;
    return `it ${this.#reach.failure ?? `does not answer at ${this.#silentStore}`}`;
  }

  /** Tests until it works once: nothing about it changes by itself. */
  async #nodePortProblem(signal: AbortSignal): Promise<string | undefined> {
    if (this.#nodePortWorks) return undefined;
    const { nodePort } = await this.#store.running();
    const problem = await nodePortProblem({ ...this.#context(), ...(await this.#settings(signal)) }, nodePort, signal);
    this.#nodePortWorks = problem === undefined;
    return problem;
  }
}

function isOverdue({ metadata }: KubeObject, now: number): boolean {
  return metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) + OVERDUE_MS < now;
}

export function createKubernetesHost(target: Target, services: HostServices): KubernetesHost {
  return new KubernetesHost(target, services);
}
