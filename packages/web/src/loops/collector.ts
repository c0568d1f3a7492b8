import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import {
  ARTIFACT_AGES,
  archiveAbandonedPipelines,
  claimUnwantedArtifacts,
  claimUnwantedSandboxes,
  deleteExpiredAccessTokens,
  deleteOldChecks,
  deleteUnusedConfigs,
  findUnknownArtifacts,
  forgetMissingSandboxes,
  forgetSandbox,
  forgetUnusedArtifacts,
  GRACE_PERIODS,
  isToBeDestroyed,
  type Locks,
  markUninterceptible,
  type Notifications,
  reconcileSandboxes,
  stallSilentWorkers,
} from '@seaplane/db';
import type { SandboxHost } from '@seaplane/orchestrator';
import type pg from 'pg';
import { Loop } from './loop.ts';

const SWEEP_MS = 30_000;
/** A sweep asks every cluster for all it has: builds that end in close succession are collected by one. */
const REST_MS = 1_000;
/** How long the log of a check is there to be read, unless it is the last. */
const CHECK_MS = 2 * 60_000;
/** A sandbox that its worker does not have is forgotten after this. */
const MISSING_MS = 5 * 60_000;
/** What is younger than this may have been made by a web that is about to write it down. */
const UNKNOWN_GRACE_MS = 60_000;
/** The history of a type that no pipeline uses any more. */
const IDLE_CONFIG_MS = 24 * 3_600_000;
const HOST_TIMEOUT_MS = 60_000;

export interface CollectorContext {
  readonly pool: pg.Pool;
  readonly locks: Locks;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly hosts: () => readonly CollectedHost[];
  readonly onError: (error: unknown, what: string) => void;
  readonly sweepMs?: number;
}

/** What it needs of a worker. */
export type CollectedHost = Pick<SandboxHost, 'name' | 'list' | 'destroy'> & {
  store(): Promise<Pick<BaggageclaimClient, 'listArtifacts' | 'deleteArtifact'>>;
};

/**
 * Removes what nobody wants: sandboxes, artifacts in stores, old rows. Level-triggered, one web at a time: each sweep
 * compares what there is with what there should be, so it does not matter what an earlier one missed.
 */
export class Collector implements AsyncDisposable {
  readonly #context: CollectorContext;
  readonly #loop: Loop;
  readonly #subscription: Disposable;

  constructor(context: CollectorContext) {
    this.#context = context;
    const { notifications, onError, sweepMs: intervalMs = SWEEP_MS } = context;
    const look = (signal: AbortSignal) => this.#sweep(signal);
    this.#loop = new Loop({ name: 'collector', intervalMs, restMs: REST_MS, onError, look });
    this.#subscription = notifications.subscribe('garbage', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #sweep(signal: AbortSignal): Promise<undefined> {
    const { pool, locks, hosts, onError } = this.#context;
    await using lock = await locks.tryAcquire('component', 'collector');
    if (!lock) return undefined;
    await stallSilentWorkers(pool);
    await markUninterceptible(pool, GRACE_PERIODS);
    await forgetUnusedArtifacts(pool, ARTIFACT_AGES);
    await forgetMissingSandboxes(pool, MISSING_MS);
    await untilNone(signal, () => archiveAbandonedPipelines(pool));
    await untilNone(signal, () => deleteOldChecks(pool, CHECK_MS));
    await deleteUnusedConfigs(pool, IDLE_CONFIG_MS);
    await deleteExpiredAccessTokens(pool);
    // A worker that is away is not in the way of the others.
    for (const host of hosts()) {
      await this.#sweepHost(host, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        onError(error, `collecting on ${host.name}`);
      });
    }
    return undefined;
  }

  async #sweepHost(host: CollectedHost, signal: AbortSignal): Promise<void> {
    const { pool } = this.#context;
    const within = () => AbortSignal.any([signal, AbortSignal.timeout(HOST_TIMEOUT_MS)]);
    const listed = await host.list(within());
    const unknown = new Set(
      await reconcileSandboxes(
        pool,
        host.name,
        listed.map(({ handle }) => handle),
      ),
    );
    const stray = listed.filter(
      ({ handle, createdAt }) => unknown.has(handle) && Date.now() - createdAt.getTime() > UNKNOWN_GRACE_MS,
    );
    for (const { handle } of stray) await host.destroy(handle);
    for (const handle of await claimUnwantedSandboxes(pool, host.name, GRACE_PERIODS)) {
      if (!(await isToBeDestroyed(pool, handle))) continue;
      await host.destroy(handle);
      await forgetSandbox(pool, handle);
    }
    const store = await host.store();
    for (const id of await claimUnwantedArtifacts(pool, host.name, ARTIFACT_AGES)) {
      await store.deleteArtifact(id, within());
    }
    for (const id of await findUnknownArtifacts(pool, host.name, await store.listArtifacts(within()))) {
      await store.deleteArtifact(id, within());
    }
  }
}

async function untilNone(signal: AbortSignal, act: () => Promise<number>): Promise<void> {
  while ((await act()) > 0) signal.throwIfAborted();
}
