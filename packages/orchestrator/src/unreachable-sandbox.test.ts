import { BaggageclaimError } from '@seaplane/baggageclaim';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';
import { type Program, type TestBed, testBed } from './testing/index.ts';
import { SCRIPTS, task } from './testing/mock-type.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

test('[ORC-TASK13] a sandbox that does not answer is an error that names a likely cause', async () => {
  bed = testBed(SCRIPTS);
  const { connect } = bed.host;
  bed.host.connect = async (handle) => {
    const client = await connect.call(bed.host, handle);
    client.run = async () => Promise.reject(new BaggageclaimError('unreachable', 'connect ETIMEDOUT'));
    return client;
  };
  await expect(bed.orchestrator().task(bed.io('1'), { ...task, path: 'false' })).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^the sandbox task-\S+ does not answer \(connect ETIMEDOUT\): its node may be lost/),
  });
});

test('[ORC-TASK13] one that is out of reach for a while is waited for: nothing is lost or doubled', async () => {
  const say: Program = async ({ stdout }) => {
    stdout('0123456789');
    return 0;
  };
  bed = testBed({ ...SCRIPTS, say });
  cutOutput(2);
  const io = bed.io('1');
  expect((await bed.orchestrator().task(io, { ...task, path: 'say' })).exitStatus).toBe(0);
  expect(io.written.stdout).toBe('0123456789');
  const told = expect.stringMatching(/^the sandbox task-\S+ does not answer .*; trying again$/);
  expect(io.notices.filter(({ kind }) => kind === 'message')).toEqual([
    { kind: 'message', text: told },
    { kind: 'message', text: told },
  ]);
});

/** A clock whose sleeps end when the minutes have passed that the test counts. */
function minuteClock() {
  let minutes = 0;
  const wakes: (() => void)[] = [];
  const sleep = async (ms: number, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = minutes + ms / 60_000;
    wakes.push(() => minutes >= end && resolve());
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    await promise;
  };
  const pass = async (count: number) => {
    minutes += count;
    for (const wake of wakes) wake();
    await new Promise(setImmediate); // those that slept go on
  };
  const elapsedMs = () => minutes * 60_000;
  return { clock: { now: () => new Date(elapsedMs()), elapsedMs, sleep }, pass };
}

test('[ORC-TASK13] one that stays out of reach is an error in the end', async () => {
  const { clock, pass } = minuteClock();
  bed = testBed(SCRIPTS, { clock });
  cutOutput(10, () => pass(3));
  const io = bed.io('1');
  await expect(bed.orchestrator().task(io, { ...task, path: 'echo' })).rejects.toThrow('does not answer');
  expect(io.notices.filter(({ kind }) => kind === 'message')).toHaveLength(3);
});

test('[ORC-TASK13] one that was silent for long, and is then out of reach for a while, is waited for', async () => {
  const { clock, pass } = minuteClock();
  bed = testBed(SCRIPTS, { clock });
  cutOutput(2, () => pass(60), 'after an answer');
  expect((await bed.orchestrator().task(bed.io('1'), { ...task, path: 'echo' })).exitStatus).toBe(0);
});

test('[ORC-TASK13] a clock that somebody sets does not end the wait for one that is out of reach', async () => {
  let hours = 0;
  bed = testBed(SCRIPTS, { clock: { ...systemClock, now: () => new Date(hours * 3_600_000) } });
  cutOutput(2, () => {
    hours += 1;
  });
  expect((await bed.orchestrator().task(bed.io('1'), { ...task, path: 'echo' })).exitStatus).toBe(0);
});

/** The connection is lost after some bytes, and the client gives up, so many times. */
function cutOutput(
  times: number,
  onCut: () => unknown = () => {},
  when: 'at once' | 'after an answer' = 'at once',
): void {
  const connect = bed.host.connect.bind(bed.host);
  let cuts = 0;
  bed.host.connect = async (handle) => {
    const client = await connect(handle);
    const output = client.output.bind(client);
    client.output = async function* (process, from, signal, onAnswer) {
      for await (const item of output(process, from, signal)) {
        if (cuts++ < times) {
          if (item.kind === 'stdout' && times < 10) yield { ...item, bytes: item.bytes.subarray(0, 3) };
          if (when === 'after an answer') onAnswer?.();
          await onCut();
          throw new BaggageclaimError('unreachable', 'connect ETIMEDOUT');
        }
        yield item;
      }
    };
    return client;
  };
}
