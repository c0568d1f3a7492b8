import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import {
  ARTIFACT_AGES,
  archiveAbandonedPipelines,
  claimSurplusSandboxes,
  claimUnwantedArtifacts,
  claimUnwantedSandboxes,
  deleteExpiredAccessTokens,
  deleteOldChecks,
  deleteUnusedConfigs,
  findUnknownArtifacts,
  forgetMissingSandboxes,
  forgetSandbox,
  forgetUnusedArtifacts,
  isToBeDestroyed,
  listFinishedSandboxes,
  markUninterceptible,
  reconcileSandboxes,
} from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type { SandboxHost } from '@seaplane/orchestrator';
import type pg from 'pg';
import { COLLECTION_DEFAULTS, type CollectionSettings } from '../boot/loop-settings.ts';
import type { Component } from './component.ts';
import { eachAtOnce } from './each-at-once.ts';
import { UnknownSince } from './unknown-since.ts';

/** One sweep serves all builds that end in close succession. */
const REST_MS = 1_000;
/** How often everything that a host has is compared with the database. A host may have ten thousand pods. */
const COMPARE_MS = 2 * 60_000;
/** Deletions on a host at the same time. */
const DELETIONS_AT_ONCE = 16;
/** A sandbox that became unknown later may belong to a web that is about to record it. */
const UNKNOWN_SANDBOX_MS = 60_000;
/** Nobody is waiting for the room that an unknown artifact takes, and it cannot be brought back. */
const UNKNOWN_ARTIFACT_MS = 3_600_000;
/** How long the history of a type is kept that no pipeline uses any more. */
const IDLE_CONFIG_MS = 24 * 3_600_000;
const HOST_TIMEOUT_MS = 60_000;

export interface CollectorContext {
  readonly pool: pg.Pool;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly hosts: () => readonly CollectedHost[];
  readonly onError: (error: unknown, what: string) => void;
  /** The operator's periods. */
  readonly settings?: CollectionSettings;
  readonly intervalMs?: number;
}

/** The part of a host that the collector needs. */
export type CollectedHost = Pick<SandboxHost, 'name' | 'limits' | 'list' | 'release' | 'destroy'> & {
  store(): Promise<Pick<BaggageclaimClient, 'listArtifacts' | 'deleteArtifact'>>;
};

/**
 * Deletes what nobody needs any more: sandboxes, artifacts in stores, old rows. The end of a build causes a sweep that asks
 * the database which sandboxes and artifacts are unwanted, and asks a host for nothing but their deletion. Now and then
 * everything that a host has is compared with the database, which makes up for what earlier sweeps missed.
 */
export function collector(context: CollectorContext): Component {
  const settings = context.settings ?? COLLECTION_DEFAULTS;
  const intervalMs = context.intervalMs ?? settings.intervalMs;
  const state = {
    sandboxes: new UnknownSince(context.clock, UNKNOWN_SANDBOX_MS),
    artifacts: new UnknownSince(context.clock, UNKNOWN_ARTIFACT_MS),
    compareAt: new Map<string, number>(),
  };
  let rowsDeletedAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'collector',
    channels: ['garbage'],
    lock: 'component',
    intervalMs,
    restMs: REST_MS,
    async look(signal) {
      await markUninterceptible(context.pool, settings.grace);
      const now = context.clock.elapsedMs();
      // Nobody waits for old rows to go.
      if (now - rowsDeletedAt >= intervalMs) {
        await deleteOldRows(context.pool, settings, signal);
        rowsDeletedAt = now;
      }
      await sweep({ ...context, ...state, settings }, signal);
      return undefined;
    },
  };
}

interface Sweep extends CollectorContext {
  readonly settings: CollectionSettings;
  readonly sandboxes: UnknownSince;
  readonly artifacts: UnknownSince;
  /** When a host is to be compared with the database, by its name. Absent: at once. */
  readonly compareAt: Map<string, number>;
}

async function deleteOldRows(
  pool: pg.Pool,
  { missingMs, checkMs }: CollectionSettings,
  signal: AbortSignal,
): Promise<void> {
  await forgetUnusedArtifacts(pool, ARTIFACT_AGES);
  await forgetMissingSandboxes(pool, missingMs);
  await untilNone(signal, () => archiveAbandonedPipelines(pool));
  await untilNone(signal, () => deleteOldChecks(pool, checkMs));
  await deleteUnusedConfigs(pool, IDLE_CONFIG_MS);
  await deleteExpiredAccessTokens(pool);
}

async function sweep(context: Sweep, signal: AbortSignal): Promise<void> {
  const { hosts, onError, compareAt } = context;
  // Side by side: a host that does not answer must not keep the others from being swept.
  const sweeps = hosts().map(async (host) => {
    try {
      await sweepHost(context, host, signal);
    } catch (error) {
      // A list fails soon if the host is still away; a deletion is tried for long.
      compareAt.delete(host.name);
      if (!signal.aborted) onError(error, `collecting on ${host.name}`);
    }
  });
  await Promise.all(sweeps);
  signal.throwIfAborted();
}

async function sweepHost(context: Sweep, host: CollectedHost, signal: AbortSignal): Promise<void> {
  const { pool, clock, compareAt } = context;
  const within = () => AbortSignal.any([signal, AbortSignal.timeout(HOST_TIMEOUT_MS)]);
  const each = (ids: readonly string[], act: (id: string) => Promise<void>) =>
    eachAtOnce(ids, DELETIONS_AT_ONCE, signal, act);
  const now = clock.elapsedMs();
  const compares = now >= (compareAt.get(host.name) ?? now);
  let unknown: readonly string[] = [];
  if (compares) {
    unknown = await reconcileSandboxes(pool, host.name, await host.list(within()));
    await each(context.sandboxes.overdue(host.name, unknown), (handle) => host.destroy(handle));
  }
  await claimSurplusSandboxes(pool, host.name, host.limits.keptSandboxes, context.settings.grace);
  await each(await claimUnwantedSandboxes(pool, host.name, context.settings.grace), async (handle) => {
    if (!(await isToBeDestroyed(pool, handle))) return;
    await host.destroy(handle);
    await forgetSandbox(pool, handle);
  });
  // Mostly the web that ran the step has done it. It may have been killed before that.
  await each(
    await listFinishedSandboxes(pool, host.name, context.settings.grace.hijackMs),
    async (handle) => void (await host.release(handle, within())),
  );
  const store = await host.store();
  const deleteArtifact = (id: string) => store.deleteArtifact(id, within());
  await each(await claimUnwantedArtifacts(pool, host.name, ARTIFACT_AGES), deleteArtifact);
  if (!compares) return;
  const unreferenced = await findUnknownArtifacts(pool, host.name, await store.listArtifacts(within()));
  await each(context.artifacts.overdue(host.name, unreferenced), deleteArtifact);
  compareAt.set(host.name, now + (unknown.length > 0 ? UNKNOWN_SANDBOX_MS : COMPARE_MS));
}

async function untilNone(signal: AbortSignal, act: () => Promise<number>): Promise<void> {
  while ((await act()) > 0) signal.throwIfAborted();
}
