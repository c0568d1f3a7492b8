import { pauseIdlePipelines } from '@seaplane/db';
import type pg from 'pg';
import type { Component } from './component.ts';

const INTERVAL_MS = 24 * 3_600_000;

export interface PipelinePauserContext {
  readonly pool: pg.Pool;
  /** 0: no pipeline is paused. */
  readonly days: number;
  readonly intervalMs?: number;
}

/** Pauses pipelines that have not been used for so many days. */
export function pipelinePauser({ pool, days, intervalMs = INTERVAL_MS }: PipelinePauserContext): Component {
  return {
    name: 'pipeline_pauser',
    channels: [],
    lock: 'component',
    intervalMs,
    async look() {
      if (days > 0) await pauseIdlePipelines(pool, days);
      return undefined;
    },
  };
}
