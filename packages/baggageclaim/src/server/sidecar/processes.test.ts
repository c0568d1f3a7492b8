import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExitRecord } from '../../protocol/messages.ts';
import { exitRecordOf } from './exit-record.ts';
import { Processes } from './processes.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'processes-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const record = (id: string, attempt: string): ExitRecord =>
  exitRecordOf({ id, attempt }, { kind: 'exited', status: 0 });
const { signal } = new AbortController();

test('[BC7] a restarted server knows which processes were handed over and which ended', async () => {
  const first = await Processes.open(dir);
  first.begin('loading', '1');
  first.begin('given', '2');
  await first.recordHandOver('given', '2');
  await first.recordFailure(record('failed', '3'));
  await writeFile(join(dir, '.half.exit.partial'), '{');
  const second = await Processes.open(dir);
  expect(second.attempt('loading')).toBeUndefined();
  expect(second.attempt('given')).toBe('2');
  expect(second.record('given')).toBeUndefined();
  expect(second.record('failed')).toEqual(record('failed', '3'));
});

test('[BC7] a process that the supervisor had and does not list is lost, unless it has ended', async () => {
  const processes = await Processes.open(dir);
  for (const id of ['known', 'lost', 'ended']) {
    processes.begin(id, '1');
    processes.markSupervised(id);
  }
  processes.recordEnd(record('ended', '1'));
  expect(
    processes.reconcile(
      new Map([
        ['known', '1'],
        ['news', '9'],
      ]),
    ),
  ).toEqual([{ id: 'lost', attempt: '1' }]);
  expect(processes.attempt('news')).toBe('9');
  expect(['known', 'news'].map((id) => processes.isSupervised(id))).toEqual([true, true]);
});

test('[BC8] a record that cannot be written still counts', async () => {
  const processes = await Processes.open(dir);
  await rm(dir, { recursive: true });
  await processes.recordFailure(record('p', '1'));
  expect(processes.record('p')).toEqual(record('p', '1'));
});

test('[BC8] the first record is not replaced', async () => {
  const processes = await Processes.open(dir);
  processes.recordEnd(record('p', '1'));
  processes.recordEnd({ ...record('p', '1'), end: { kind: 'exited', status: 1 } });
  expect(processes.record('p')?.end).toEqual({ kind: 'exited', status: 0 });
});

test('[BC8] a reader is woken by any change that it has not seen', async () => {
  const processes = await Processes.open(dir);
  for (const id of ['p', 'other']) processes.begin(id, '1');
  const seen = processes.version('p');
  const woken = processes.waitForChange('p', seen, 60_000, signal);
  processes.announceOutput('other');
  processes.announceOutput('p');
  await woken;
  await processes.waitForChange('p', seen, 60_000, signal); // it has changed since
  const abort = new AbortController();
  const waiting = processes.waitForChange('p', processes.version('p'), 60_000, abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await processes.waitForChange('p', processes.version('p'), 1, signal); // by time alone
});

test('[BC11] a forgotten process is gone, also after a restart', async () => {
  const processes = await Processes.open(dir);
  processes.begin('p', '1');
  await processes.recordHandOver('p', '1');
  await processes.recordFailure(record('p', '1'));
  await processes.forget('p');
  processes.announceOutput('p');
  expect(processes.attempt('p')).toBeUndefined();
  expect(processes.version('p')).toBe(0);
  expect(await readdir(dir)).toEqual([]);
});

test.each(['', '..', 'a/b', '.hidden', 'x'.repeat(129), 'a b'])('[BC6] %j is not a process id', async (id) => {
  const processes = await Processes.open(dir);
  expect(() => processes.attempt(id)).toThrow(expect.objectContaining({ code: 'bad-request' }));
});
