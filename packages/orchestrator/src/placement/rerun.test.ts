import { afterEach, expect, test } from 'vitest';
import type { HostErrorCode } from '../host/host-error.ts';
import { InMemoryHost, type Program, type TestBed, testBed } from '../testing/index.ts';
import { resource, SCRIPTS, task } from '../testing/mock-type.ts';
import type { TestWeb } from '../testing/test-bed.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

/** A program that never ends in its first sandboxes and ends in a later one. */
function endsInRun(number: number, answer = ''): { readonly program: Program; readonly runs: () => number } {
  let runs = 0;
  const program: Program = async ({ stdout, stderr }) => {
    stderr(`run ${++runs}\n`);
    if (runs < number) return new Promise(() => {});
    stdout(answer);
    return 0;
  };
  return { program, runs: () => runs };
}

function open(programs: Readonly<Record<string, Program>>, web: TestWeb = {}): InMemoryHost {
  const host = new InMemoryHost('worker-1', { ...SCRIPTS, ...programs });
  bed = testBed({}, { hosts: [host], ...web });
  return host;
}

/** Takes the sandbox away from the step when its process has started for the n-th time. */
async function takeAway(host: InMemoryHost, runs: () => number, nth: number, code: HostErrorCode): Promise<void> {
  await expect.poll(runs).toBe(nth);
  const handle = [...host.specs.keys()].at(-1) ?? '';
  host.fail(handle, 'the pod was evicted: its node is being drained', code);
}

const evicted = 'the pod was evicted: its node is being drained';
const rerun = { placement: { rerunStartedTasks: true } };

test.each(['evicted', 'node-lost', 'deleted'] as const)(
  '[ORC-RERUN1] a get whose sandbox is %s runs again in another one',
  async (code) => {
    const { program, runs } = endsInRun(2, '{"version": {"ref": "abc"}}');
    const host = open({ '/opt/resource/in': program });
    const io = bed.io('1');
    const got = bed.orchestrator().get(io, { ...resource, version: { ref: 'abc' } });
    await takeAway(host, runs, 1, code);
    expect((await got).result?.version).toEqual({ ref: 'abc' });
    expect(io.written.stderr).toBe('run 1\nrun 2\n');
    const text = `${evicted}: the step runs again (1 of at most 3 times)`;
    expect(io.notices).toContainEqual({ kind: 'message', text });
    expect(bed.records.sandboxes.size).toBe(2);
    expect(host.specs.size).toBe(1);
  },
);

test('[ORC-RERUN1] a check whose sandbox is evicted is made again', async () => {
  const { program, runs } = endsInRun(3, '[{"ref": "1"}]');
  const host = open({ '/opt/resource/check': program });
  await bed.workers[0]?.watch.synced;
  const io = bed.io('1');
  const checked = bed.orchestrator().check(io, resource);
  await takeAway(host, runs, 1, 'evicted');
  await takeAway(host, runs, 2, 'node-lost');
  expect((await checked).result).toEqual([{ ref: '1' }]);
  expect(io.written.stderr).toBe('run 1\nrun 2\nrun 3\n');
});

test('[ORC-RERUN2] a task or put that had started errors, and its process does not run again', async () => {
  const tasks = endsInRun(2);
  const puts = endsInRun(2);
  const host = open({ task: tasks.program, '/opt/resource/out': puts.program }, {});
  const ran = bed.orchestrator().task(bed.io('1'), { ...task, path: 'task' });
  const refused = expect(ran).rejects.toThrow(evicted);
  await takeAway(host, tasks.runs, 1, 'evicted');
  await refused;
  const put = bed.orchestrator().put(bed.io('2'), { ...resource, inputs: {} });
  const refusedPut = expect(put).rejects.toThrow(evicted);
  await takeAway(host, puts.runs, 1, 'evicted');
  await refusedPut;
  expect([tasks.runs(), puts.runs()]).toEqual([1, 1]);
});

test('[ORC-RERUN3] a task that had started runs again where the operator says so; a put does not', async () => {
  const tasks = endsInRun(2);
  const puts = endsInRun(2);
  const host = open({ task: tasks.program, '/opt/resource/out': puts.program }, rerun);
  const io = bed.io('1');
  const ran = bed.orchestrator().task(io, { ...task, path: 'task' });
  await takeAway(host, tasks.runs, 1, 'evicted');
  expect((await ran).exitStatus).toBe(0);
  expect(io.written.stderr).toBe('run 1\nrun 2\n');
  const put = bed.orchestrator().put(bed.io('2'), { ...resource, inputs: {} });
  const refused = expect(put).rejects.toThrow(evicted);
  await takeAway(host, puts.runs, 1, 'evicted');
  await refused;
  expect(puts.runs()).toBe(1);
});

test('[ORC-RERUN3] other failures are not repeated, and an abort ends it', async () => {
  const { program, runs } = endsInRun(2);
  const host = open({ task: program }, rerun);
  const ran = bed.orchestrator().task(bed.io('1'), { ...task, path: 'task' });
  const refused = expect(ran).rejects.toThrow(evicted);
  await takeAway(host, runs, 1, 'out-of-memory');
  await refused;
  expect(runs()).toBe(1);
});

test.each(['task', 'put'] as const)('[ORC-RERUN4] a %s whose process was never started runs again', async (type) => {
  const host = open({ true: async () => 0 });
  host.machines = 0;
  const io = bed.io('1');
  const steps = bed.orchestrator();
  const ran = type === 'task' ? steps.task(io, { ...task, path: 'true' }) : steps.put(io, { ...resource, inputs: {} });
  await expect.poll(() => host.specs.size).toBe(1);
  const [first = ''] = host.specs.keys();
  await bed.workers[0]?.watch.synced;
  host.machines = 1;
  host.fail(first, evicted, 'evicted');
  expect((await ran).exitStatus).toBe(0);
  expect([...bed.records.sandboxes.keys()]).toHaveLength(2);
});

test('[ORC-RERUN5] a step that loses its sandbox a fourth time errors', async () => {
  const { program, runs } = endsInRun(9);
  const host = open({ '/opt/resource/in': program });
  const got = bed.orchestrator().get(bed.io('1'), { ...resource, version: { ref: 'abc' } });
  const refused = expect(got).rejects.toThrow(evicted);
  for (let run = 1; run <= 4; run++) await takeAway(host, runs, run, 'evicted');
  await refused;
  expect(runs()).toBe(4);
});

test('[ORC-RERUN6] another web goes on with the last run, without running it again', async () => {
  const { program, runs } = endsInRun(3);
  const ended = Promise.withResolvers<void>();
  const last: Program = async (context) => {
    if (runs() < 1) return program(context);
    context.stderr('second\n');
    await ended.promise;
    return 0;
  };
  let seconds = 0;
  const counted: Program = (context) => {
    if (runs() >= 1) seconds++;
    return last(context);
  };
  const host = open({ task: counted }, rerun);
  const io = bed.io('1');
  const ran = bed.orchestrator().task(io, { ...task, path: 'task' });
  ran.catch(() => {});
  await takeAway(host, runs, 1, 'node-lost');
  await expect.poll(() => io.written.stderr).toBe('run 1\nsecond\n');
  await using web = testBed({}, { hosts: [host], records: bed.records, ...rerun });
  const other = web.orchestrator().task(web.io('1'), { ...task, path: 'task' });
  ended.resolve();
  expect((await other).exitStatus).toBe(0);
  expect(seconds).toBe(1);
  await ran;
});
