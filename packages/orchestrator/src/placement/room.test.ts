import { type Clock, Interruption } from '@seaplane/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { type Program, type TestBed, testBed } from '../testing/index.ts';
import { repository, resource, SCRIPTS, task } from '../testing/mock-type.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

const write: Program = async ({ request, files }) => {
  files.write(`${request.dir}/out/file`, 'made');
  return 0;
};
const read: Program = async ({ request, files, stdout }) => {
  stdout(files.read(`${request.dir}/in/file`)?.toString() ?? 'nothing');
  return 0;
};
const trap: Program = async ({ stopped, stdout }) => {
  stdout('running\n');
  await new Promise((resolve) => stopped.addEventListener('abort', resolve));
  return 0;
};
const PROGRAMS = { ...SCRIPTS, write, read, trap };
const outputs = [{ name: 'out', path: 'out' }];

/** Time passes as fast as it is waited for. */
function fastClock(): Clock {
  let now = 0;
  return {
    now: () => new Date(now),
    elapsedMs: () => now,
    async sleep(ms, signal) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      now += ms;
    },
  };
}

/** Runs a task to its end, as the engine records it. */
async function runTask(planId: string, request: Partial<Parameters<ReturnType<TestBed['orchestrator']>['task']>[1]>) {
  const io = bed.io(planId);
  const result = await bed.orchestrator().task(io, { ...task, path: 'write', outputs, ...request });
  bed.records.ends.set(`42/${planId}`, result.exitStatus === 0);
  return { io, result, text: () => io.notices.flatMap((notice) => (notice.kind === 'message' ? notice.text : [])) };
}

describe('a step that has ended', () => {
  test('[ORC-ROOM1] reserves nothing any more, however it ended', async () => {
    bed = testBed(PROGRAMS);
    const steps = bed.orchestrator();
    await steps.get(bed.io('1'), { ...resource, version: { ref: 'abc' } });
    await steps.put(bed.io('2'), { ...resource, inputs: {} });
    await runTask('3', {});
    await runTask('4', { path: 'false' });
    const stop = new AbortController();
    const io = bed.io('5', { signal: stop.signal });
    const running = steps.task(io, { ...task, path: 'trap' });
    await expect.poll(() => io.written.stdout).toBe('running\n');
    expect(bed.host.released.size).toBe(4);
    stop.abort(new Interruption('abort'));
    await running;
    await expect.poll(() => bed.host.released.size).toBe(5);
    expect([...bed.host.released].sort()).toEqual([...bed.host.specs.keys()].sort());
  });

  test('[ORC-ROOM1] is not delayed by a host that takes long to give back what it reserves, nor changed by one that fails', async () => {
    bed = testBed(PROGRAMS);
    bed.host.release = () => new Promise(() => {});
    expect((await runTask('1', {})).result.exitStatus).toBe(0);
    bed.host.release = () => Promise.reject(new Error('away'));
    expect((await runTask('2', {})).result.exitStatus).toBe(0);
  });
});

describe('a host that is full', () => {
  test('[ORC-ROOM2] many steps in a row fit into a quota for two', async () => {
    bed = testBed(PROGRAMS);
    bed.host.quota.reserving = 2;
    for (let step = 0; step < 8; step++) expect((await runTask(String(step), {})).text()).toEqual([]);
    expect(bed.host.specs.size).toBe(8);
  });

  test('[ORC-ROOM2] where nothing can be given back, finished sandboxes go, after their outputs were stored', async () => {
    bed = testBed(PROGRAMS, { clock: fastClock() });
    bed.host.releases = false;
    bed.host.quota.reserving = 2;
    const first = await runTask('1', {});
    const artifact = first.result.outputs['out'] ?? { id: '' };
    await runTask('2', { path: 'false' });
    const inputs = [{ name: 'in', path: 'in', artifact }];
    const third = await runTask('3', { path: 'read', inputs });
    expect(third.io.written.stdout).toBe('made');
    expect(third.text()).toEqual([
      expect.stringMatching(
        /^waiting for room on the worker worker-1: worker worker-1 could not create .* exceeded quota$/,
      ),
    ]);
    expect(bed.records.artifacts.get(artifact.id)?.stored).toBe(true);
    const states = [...bed.records.sandboxes.values()].map(({ state }) => state);
    expect(states).toEqual(['destroying', 'created', 'created']); // the one that succeeded goes first
  });

  test('[ORC-ROOM2] sandboxes that reserve nothing go as well, if the quota counts sandboxes', async () => {
    bed = testBed(PROGRAMS, { clock: fastClock() });
    bed.host.quota.all = 2;
    for (let step = 0; step < 4; step++) await runTask(String(step), {});
    expect(bed.host.specs.size).toBe(2);
  });

  test('[ORC-ROOM6] sandboxes that are kept for checks go, the least recently used first, but not one that is in use', async () => {
    let free = () => {};
    const check: Program = async ({ request, stdout }) => {
      if (request.stdin.includes('slow')) await new Promise<void>((resolve) => (free = resolve));
      stdout('[]');
      return 0;
    };
    bed = testBed({ ...PROGRAMS, '/opt/resource/check': check }, { clock: fastClock() });
    bed.host.quota.all = 3;
    const steps = bed.orchestrator();
    const running = steps.check(bed.io('1'), { ...repository, config: 1, source: { slow: true } });
    await expect.poll(() => bed.host.specs.size).toBe(1);
    const [slow] = [...bed.host.specs.keys()];
    for (const config of [2, 3, 2]) await steps.check(bed.io(`${config}`), { ...repository, config });
    expect((await runTask('4', {})).result.exitStatus).toBe(0);
    const left = [...bed.host.specs.keys()].flatMap((handle) => bed.records.sandboxes.get(handle)?.config ?? []);
    expect(left).toEqual([1, 2]);
    expect([...bed.host.specs.keys()]).toContain(slow);
    free();
    expect((await running).exitStatus).toBe(0);
    expect((await steps.check(bed.io('5'), { ...repository, config: 3 })).exitStatus).toBe(0); // it is made again
  });

  test('[ORC-ROOM2] a sandbox whose outputs cannot be stored stays, and another one goes', async () => {
    bed = testBed(PROGRAMS, { clock: fastClock() });
    bed.host.releases = false;
    bed.host.quota.reserving = 2;
    const store = await bed.host.store();
    const pull = store.pullArtifact.bind(store);
    const lost = (await runTask('1', {})).result.outputs['out']?.id;
    store.pullArtifact = (...args) => (args[0] === lost ? Promise.reject(new Error('disk full')) : pull(...args));
    await runTask('2', {});
    await runTask('3', {});
    const states = [...bed.records.sandboxes.values()].map(({ state }) => state);
    expect(states).toEqual(['created', 'destroying', 'created']);
  });

  test('[ORC-ROOM2] a step that runs keeps its sandbox, and the next one waits until it is aborted', async () => {
    bed = testBed(PROGRAMS);
    bed.host.quota.reserving = 1;
    const [stop, stopNext] = [new AbortController(), new AbortController()];
    const io = bed.io('1', { signal: stop.signal });
    const running = bed.orchestrator().task(io, { ...task, path: 'trap' });
    await expect.poll(() => io.written.stdout).toBe('running\n');
    const waiting = bed.io('2', { signal: stopNext.signal });
    const next = bed.orchestrator().task(waiting, { ...task, path: 'write' });
    const aborted = expect(next).rejects.toBeInstanceOf(Interruption);
    await expect.poll(() => waiting.notices.length).toBe(2);
    stopNext.abort(new Interruption('abort'));
    await aborted;
    expect(bed.host.specs.size).toBe(1);
    stop.abort(new Interruption('abort'));
    await running;
  });
});

test('[ORC-ROOM5] while no machine has room for a step, finished sandboxes that reserve some go', async () => {
  bed = testBed(PROGRAMS, { clock: fastClock() });
  bed.host.machines = 2;
  bed.host.releases = false;
  const artifact = (await runTask('1', {})).result.outputs['out'] ?? { id: '' };
  await runTask('2', {});
  const third = await runTask('3', { path: 'read', inputs: [{ name: 'in', path: 'in', artifact }] });
  expect(third.io.written.stdout).toBe('made');
  const states = [...bed.records.sandboxes.values()].map(({ state }) => state);
  expect(states[0]).toBe('destroying');
  expect(states[2]).toBe('created');
});

test('[ORC-ROOM5] a sandbox that no machine took in time is destroyed, and the step errors with the cause', async () => {
  bed = testBed(PROGRAMS);
  bed.host.machines = 0;
  const running = runTask('1', {});
  const failed = expect(running).rejects.toMatchObject({ code: 'unschedulable', message: 'no node took it' });
  await expect.poll(() => bed.host.specs.size).toBe(1);
  const [handle = ''] = bed.host.specs.keys();
  await expect.poll(() => bed.workers[0]?.watch.states().get(handle)).toMatchObject({ noRoom: true });
  bed.host.fail(handle, 'no node took it', 'unschedulable');
  await failed;
  expect(bed.host.specs.size).toBe(0);
  expect(bed.records.sandboxes.get(handle)).toMatchObject({ state: 'failed', reason: 'no node took it' });
});
