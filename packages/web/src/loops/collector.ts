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
  markUninterceptible,
  reconcileSandboxes,
} from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type { SandboxHost } from '@seaplane/orchestrator';
import type pg from 'pg';
import type { Component } from './component.ts';
import { UnknownSince } from './unknown-since.ts';

const INTERVAL_MS = 30_000;
/** A sweep lists everything on every host, so one sweep serves all builds that end in close succession. */
const REST_MS = 1_000;
/** How long the log of a check can be read, unless it is the latest check. */
const CHECK_MS = 2 * 60_000;
/** How long the database remembers a sandbox that its worker does not have. */
const MISSING_MS = 5 * 60_000;
/** A sandbox that became unknown later may belong to a web that is about to record it. */
const UNKNOWN_SANDBOX_MS = 60_000;
/** Nobody is waiting for the room that an unknown artifact takes, and it cannot be brought back. */
const UNKNOWN_ARTIFACT_MS = 3_600_000;
/** How long the history of a type is kept that no pipeline uses any more. */
const IDLE_CONFIG_MS = 24 * 3_600_000;
const HOST_TIMEOUT_MS = 60_000;

export interface CollectorContext {
  readonly pool: pg.Pool;
  readonly clock: Pick<Clock, 'now'>;
  readonly hosts: () => readonly CollectedHost[];
  readonly onError: (error: unknown, what: string) => void;
  readonly intervalMs?: number;
}

/** The part of a host that the collector needs. */
export type CollectedHost = Pick<SandboxHost, 'name' | 'list' | 'destroy'> & {
  store(): Promise<Pick<BaggageclaimClient, 'listArtifacts' | 'deleteArtifact'>>;
};

/**
 * Deletes what nobody needs any more: sandboxes, artifacts in stores, old rows. Each sweep compares everything there is
 * with everything there should be, so a sweep makes up for what an earlier one missed.
 */
export function collector(context: CollectorContext): Component {
  const sandboxes = new UnknownSince(context.clock, UNKNOWN_SANDBOX_MS);
  const artifacts = new UnknownSince(context.clock, UNKNOWN_ARTIFACT_MS);
  return {
    name: 'collector',
    channels: ['garbage'],
    lock: 'component',
    intervalMs: context.intervalMs ?? INTERVAL_MS,
    restMs: REST_MS,
    look: (signal) => sweep({ ...context, sandboxes, artifacts }, signal),
  };
}

interface Sweep extends CollectorContext {
  readonly sandboxes: UnknownSince;
  readonly artifacts: UnknownSince;
}

async function sweep(context: Sweep, signal: AbortSignal): Promise<undefined> {
  const { pool, hosts, onError } = context;
  await markUninterceptible(pool, GRACE_PERIODS);
  await forgetUnusedArtifacts(pool, ARTIFACT_AGES);
  await forgetMissingSandboxes(pool, MISSING_MS);
  await untilNone(signal, () => archiveAbandonedPipelines(pool));
  await untilNone(signal, () => deleteOldChecks(pool, CHECK_MS));
  await deleteUnusedConfigs(pool, IDLE_CONFIG_MS);
  await deleteExpiredAccessTokens(pool);
  for (const host of hosts()) {
    // A host that does not answer must not keep the others from being swept.
    await sweepHost(context, host, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      onError(error, `collecting on ${host.name}`);
    });
  }
}

async function sweepHost(
  { pool, sandboxes, artifacts }: Sweep,
  host: CollectedHost,
  signal: AbortSignal,
): Promise<void> {
  const within = () => AbortSignal.any([signal, AbortSignal.timeout(HOST_TIMEOUT_MS)]);
  const unknown = await reconcileSandboxes(pool, host.name, await host.list(within()));
  for (const handle of sandboxes.overdue(host.name, unknown)) await host.destroy(handle);
  for (const handle of await claimUnwantedSandboxes(pool, host.name, GRACE_PERIODS)) {
    if (!(await isToBeDestroyed(pool, handle))) continue;
    await host.destroy(handle);
    await forgetSandbox(pool, handle);
  }
  const store = await host.store();
  for (const id of await claimUnwantedArtifacts(pool, host.name, ARTIFACT_AGES)) {
    await store.deleteArtifact(id, within());
  }
  const unreferenced = await findUnknownArtifacts(pool, host.name, await store.listArtifacts(within()));
  for (const id of artifacts.overdue(host.name, unreferenced)) await store.deleteArtifact(id, within());
}

async function untilNone(signal: AbortSignal, act: () => Promise<number>): Promise<void> {
  while ((await act()) > 0) signal.throwIfAborted();
}
