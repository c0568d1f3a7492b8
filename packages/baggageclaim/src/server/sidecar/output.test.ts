import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FrameDecoder } from '../../protocol/frames.ts';
import { OUTPUT_FRAME } from '../../protocol/messages.ts';
import { exitRecordOf } from './exit-record.ts';
import { outputFrames } from './output.ts';
import { Processes } from './processes.ts';

let dir = '';
let processes: Processes;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'output-'));
  processes = await Processes.open(join(dir, 'records'));
  processes.begin('p', '1');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const { signal } = new AbortController();
const isThere = (id: string, attempt: string) => processes.attempt(id) === attempt;
const follow = () => outputFrames({ processes, isThere, dir }, { id: 'p', attempt: '1', stdout: 0, stderr: 0 }, signal);
const typeOf = (frame: Uint8Array) => new FrameDecoder().push(frame)[0]?.type;

test('[BC8] an endless stream does not hide the other', async () => {
  await writeFile(join(dir, 'p.stderr'), 'oops');
  const types = [];
  for await (const frame of follow()) {
    await appendFile(join(dir, 'p.stdout'), 'x'.repeat(100_000)); // faster than it is read
    types.push(typeOf(frame));
    if (types.length === 3) break;
  }
  expect(types).toContain(OUTPUT_FRAME.stdout);
  expect(types).toContain(OUTPUT_FRAME.stderr);
});

test('[BC8] the record comes after all output', async () => {
  await writeFile(join(dir, 'p.stdout'), 'x'.repeat(200_000));
  await writeFile(join(dir, 'p.stderr'), 'oops');
  processes.recordEnd(exitRecordOf({ id: 'p', attempt: '1' }, { kind: 'exited', status: 0 }));
  const types = [];
  for await (const frame of follow()) types.push(typeOf(frame));
  const { stdout, stderr, exit } = OUTPUT_FRAME;
  expect(types).toEqual([stdout, stderr, stdout, stdout, stdout, exit]);
});

test('[BC11] a reader of a forgotten process ends, and gets no output of another with the same id', async () => {
  const frames = follow();
  const next = frames.next();
  await processes.forget('p');
  expect(await next).toMatchObject({ done: true });
  processes.begin('p', '1');
  const again = follow();
  const waiting = again.next();
  await processes.forget('p');
  processes.begin('p', '2');
  expect(await waiting).toMatchObject({ done: true });
});
