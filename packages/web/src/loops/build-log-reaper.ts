import { type LogRetentionLimits, reapBuildLogs } from '@seaplane/db';
import type pg from 'pg';
import type { Component } from './component.ts';

const INTERVAL_MS = 30_000;

export interface BuildLogReaperContext {
  readonly pool: pg.Pool;
  /** The operator's limits. */
  readonly logRetention?: LogRetentionLimits;
  readonly intervalMs?: number;
}

/** Deletes the logs of builds that their job does not retain. */
export function buildLogReaper({ pool, logRetention, intervalMs = INTERVAL_MS }: BuildLogReaperContext): Component {
  return {
    name: 'reaper',
    channels: [],
    lock: 'component',
    intervalMs,
    async look(signal) {
      while ((await reapBuildLogs(pool, logRetention)) > 0) signal.throwIfAborted();
      return undefined;
    },
  };
}
