import { manualClock } from '@seaplane/engine/testing';
import { afterEach, expect, test } from 'vitest';
import { InMemoryHost, type Program, type TestBed, testBed } from '../testing/index.ts';
import { resource, SCRIPTS, task } from '../testing/mock-type.ts';
import type { TestWeb } from '../testing/test-bed.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

/** A program that runs until it is released. */
function gate(): { readonly program: Program; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { program: async () => promise.then(() => 0), release: resolve };
}

const held = gate();

function open(names: readonly string[], web: TestWeb, programs: Readonly<Record<string, Program>> = {}) {
  const hosts = names.map(
    (name) => new InMemoryHost(name, { ...SCRIPTS, held: held.program, true: async () => 0, ...programs }),
  );
  bed = testBed({}, { hosts, ...web });
  return hosts;
}

const oneTask = { placement: { build: ['limit-active-tasks'], maxTasks: 1 } } as const;
const running = { ...task, path: 'held' };
const waits = (reason: string) => ({ kind: 'waiting-for-worker', reason: `waiting for a worker: ${reason}` });

test('[ORC-PLACE2] tasks fill the workers up to the limit; the next one waits, says why, and is woken by an end', async () => {
  const gates = [gate(), gate()];
  const programs = Object.fromEntries(gates.map(({ program }, index) => [`gate-${index}`, program]));
  const clock = manualClock();
  const hosts = open(['north', 'south'], { ...oneTask, clock }, programs);
  const first = bed.orchestrator().task(bed.io('1'), { ...task, path: 'gate-0' });
  await expect.poll(() => bed.records.sandboxes.size).toBe(1);
  const second = bed.orchestrator().task(bed.io('2'), { ...task, path: 'gate-1' });
  await expect.poll(() => bed.records.sandboxes.size).toBe(2);
  expect(hosts.map(({ specs }) => specs.size)).toEqual([1, 1]);
  const io = bed.io('3');
  const third = bed.orchestrator().task(io, { ...task, path: 'true' });
  await expect.poll(() => io.notices.length).toBe(1);
  const many = 'has too many active tasks (1, and may have 1)';
  expect(io.notices).toEqual([waits(`north ${many}; south ${many}`)]);
  await clock.advance(5_000);
  gates[1]?.release();
  await second;
  expect((await third).exitStatus).toBe(0);
  expect(io.notices.filter(({ kind }) => kind === 'waiting-for-worker')).toHaveLength(1);
  expect(io.notices).toContainEqual({ kind: 'selected-worker', worker: 'south' });
  gates[0]?.release();
  await first;
});

test('[ORC-PLACE2] a step of another web that has ended is seen after five seconds', async () => {
  const clock = manualClock();
  open(['north'], { ...oneTask, clock });
  const row = { handle: 'task-9-x', worker: 'north', owner: { buildId: 9, planId: '1' } };
  const labels = { type: 'task', team: 'main', step: 'x' } as const;
  await bed.records.recordSandbox({ ...row, labels, workingDirectory: '/', user: '' });
  const io = bed.io('1');
  const waiting = bed.orchestrator().task(io, { ...task, path: 'true' });
  await expect.poll(() => io.notices.length).toBe(1);
  bed.records.endedBuilds.add(9);
  await clock.advance(5_000);
  expect((await waiting).exitStatus).toBe(0);
});

test('[ORC-PLACE2] the end of a step that has run again wakes a waiting step, too', async () => {
  const last = gate();
  let runs = 0;
  const lost: Program = (context) => (++runs === 1 ? new Promise<number>(() => {}) : last.program(context));
  const placement = { ...oneTask.placement, rerunStartedTasks: true };
  const [host] = open(['north'], { placement, clock: manualClock() }, { lost });
  const first = bed.orchestrator().task(bed.io('1'), { ...task, path: 'lost' });
  await expect.poll(() => runs).toBe(1);
  host?.fail([...host.specs.keys()][0] ?? '', 'the pod was evicted', 'evicted');
  await expect.poll(() => runs).toBe(2);
  const io = bed.io('2');
  const waiting = bed.orchestrator().task(io, { ...task, path: 'true' });
  await expect.poll(() => io.notices.length).toBe(1);
  last.release();
  await first;
  expect((await waiting).exitStatus).toBe(0);
});

test('[ORC-PLACE2] a waiting step can be aborted', async () => {
  open(['north'], oneTask);
  const stop = new AbortController();
  const io = bed.io('2', { signal: stop.signal });
  const first = bed.orchestrator().task(bed.io('1'), { ...running });
  await expect.poll(() => bed.records.sandboxes.size).toBe(1);
  const waiting = bed.orchestrator().task(io, { ...task, path: 'true' });
  const refused = expect(waiting).rejects.toThrow('stop it');
  await expect.poll(() => io.notices.length).toBe(1);
  stop.abort(new Error('stop it'));
  await refused;
  held.release();
  await first;
});

test('[ORC-PLACE3] tasks that begin at the same time do not exceed the limit together', async () => {
  let [now, most] = [0, 0];
  const counted: Program = async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return 0;
  };
  open(['north'], { placement: { ...oneTask.placement, maxTasks: 2 } }, { counted });
  const plans = Array.from({ length: 12 }, (_, index) => `${index}`);
  const runs = plans.map((plan) => bed.orchestrator().task(bed.io(plan), { ...task, path: 'counted' }));
  expect((await Promise.all(runs)).map(({ exitStatus }) => exitStatus)).toEqual(plans.map(() => 0));
  expect(most).toBeLessThanOrEqual(2);
});

test('[ORC-PLACE4] checks of one resource stay on one worker, those of many spread', async () => {
  const hosts = open(['north', 'south'], { random: Math.random });
  const where = async (plan: number, config: number) => {
    const io = bed.io(`${plan}`);
    await bed.orchestrator().check(io, { ...resource, config, resource: 'r' });
    return io.notices.find(({ kind }) => kind === 'selected-worker');
  };
  const first = await where(0, 0);
  for (let plan = 1; plan < 6; plan++) expect(await where(plan, 0)).toEqual(first);
  for (let config = 1; config < 20; config++) await where(10 + config, config);
  expect(hosts.map(({ specs }) => specs.size)).toEqual([1, 1]);
});

test('[ORC-PLACE1] without a preference, chance spreads the steps', async () => {
  const numbers = [0.9, 0.1, 0.2, 0.8];
  const hosts = open(['north', 'south'], { random: () => numbers.shift() ?? 0 });
  for (const plan of ['1', '2']) await bed.orchestrator().task(bed.io(plan), { ...task, path: 'true' });
  expect(hosts.map(({ specs }) => specs.size)).toEqual([1, 1]);
});

test('[ORC-PLACE5] a get that finds its version fetched does not wait for room', async () => {
  open(['north'], { placement: { noInput: ['limit-active-containers'], maxSandboxes: 1 } });
  const get = { ...resource, version: { ref: 'abc' } };
  await bed.orchestrator().get(bed.io('1'), get);
  const io = bed.io('2');
  expect((await bed.orchestrator().get(io, get)).exitStatus).toBe(0);
  expect(io.notices.map(({ kind }) => kind)).not.toContain('waiting-for-worker');
});

test('[ORC-PLACE6] sandboxes of finished steps of the build make room below the limit', async () => {
  const [host] = open(['north'], { placement: { build: ['limit-active-containers'], maxSandboxes: 1 } });
  await bed.orchestrator().task(bed.io('1'), { ...task, path: 'true' });
  bed.records.ends.set('42/1', true);
  expect((await bed.orchestrator().task(bed.io('2'), { ...task, path: 'true' })).exitStatus).toBe(0);
  expect(host?.specs.size).toBe(1);
});
