import type { ReadChanges } from '../boot/targets-file.ts';
import type { Component } from './component.ts';
import type { PoolChange, WorkerPool } from './worker-pool.ts';

const INTERVAL_MS = 2_000;

export interface TargetsFollowerContext {
  readonly workers: Pick<WorkerPool, 'update' | 'sweep'>;
  readonly readChanges: ReadChanges;
  readonly onChange: (change: PoolChange) => void;
  readonly onMistake: (message: string) => void;
  readonly intervalMs?: number;
}

/** Follows the targets file: workers that are added, changed or removed there come, change or go while web runs. */
export function targetsFollower(context: TargetsFollowerContext): Component {
  const { workers, readChanges, onChange, onMistake } = context;
  return {
    name: 'targets',
    channels: [],
    lock: 'none',
    listed: false,
    intervalMs: context.intervalMs ?? INTERVAL_MS,
    async look() {
      const changed = await readChanges();
      if (changed) {
        for (const { error } of changed.mistakes) onMistake(error.message);
        onChange(await workers.update(changed));
      }
      await workers.sweep();
      return undefined;
    },
  };
}
