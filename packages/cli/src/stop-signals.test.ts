import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { listenForAbort } from './stop-signals.ts';

test('[RUN8] the first signal aborts, its repeats do nothing, a later one quits', () => {
  const process = new EventEmitter();
  let now = 5_000;
  let quits = 0;
  const quit = () => {
    quits++;
  };
  const signal = listenForAbort({ process: process as never, now: () => now, quit });
  expect(signal.aborted).toBe(false);
  process.emit('SIGINT');
  expect(signal.reason).toMatchObject({ message: 'SIGINT' });
  process.emit('SIGINT');
  now += 999;
  process.emit('SIGTERM');
  expect(quits).toBe(0);
  now += 1;
  process.emit('SIGINT');
  expect(quits).toBe(1);
});
