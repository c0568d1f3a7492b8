import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Layout, layoutOf } from '../layout.ts';
import { recordedPid, startRecorded } from './recorded-process.ts';

let layout: Layout;

beforeEach(async () => {
  layout = { ...layoutOf(0), state: await mkdtemp(join(tmpdir(), 'recorded-')) };
  for (const name of ['log', 'pid']) await mkdir(join(layout.state, name));
});
afterEach(() => rm(layout.state, { recursive: true }));

test('[CL14] a program counts as alive also while it becomes another program', async () => {
  const next = `exec sh -c "$0" "$0" $(($1 - 1)) ${layout.state}`;
  const again = `if [ $1 -gt 0 ]; then ${next}; fi; sleep 60; : ${layout.state}`;
  await startRecorded(layout, 'changing', ['sh', '-c', again, again, '200', layout.state]);
  const pid = await recordedPid(layout, 'changing');
  if (!pid) throw new Error('it does not run');
  const seen = new Set<number | undefined>();
  for (let i = 0; i < 2_000; i++) seen.add(await recordedPid(layout, 'changing'));
  process.kill(-pid, 'SIGKILL');
  expect([...seen]).toEqual([pid]);
  await expect.poll(() => recordedPid(layout, 'changing')).toBeUndefined();
});
