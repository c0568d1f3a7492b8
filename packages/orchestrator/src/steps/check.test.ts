import { BaggageclaimError } from '@seaplane/baggageclaim';
import { manualClock } from '@seaplane/engine/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { InMemoryHost, type Program, type TestBed, testBed } from '../testing/index.ts';
import { repository, resource, SCRIPTS } from '../testing/mock-type.ts';

let bed: TestBed;
afterEach(async () => {
  await bed[Symbol.asyncDispose]();
});

describe('check', () => {
  test('[ORC-CHECK1] answers versions; its stderr is the log, its stdout is not', async () => {
    bed = testBed(SCRIPTS);
    const io = bed.io('1');
    const from = { ref: 'given' };
    expect(await bed.orchestrator().check(io, { ...resource, from })).toEqual({ exitStatus: 0, result: [from] });
    expect(io.written).toEqual({ stdout: '', stderr: 'checking\n' });
    expect(io.notices).toContainEqual({ kind: 'selected-worker', worker: 'worker-1' });
  });

  test('[ORC-CHECK2] checks of a type that keeps no files share a warm sandbox, and a failed one is replaced', async () => {
    bed = testBed(SCRIPTS);
    await bed.orchestrator().check(bed.io('1'), resource);
    await bed.orchestrator().check(bed.io('2'), { ...resource, source: { other: true }, config: 2 });
    const [handle] = [...bed.host.specs.keys()] as [string];
    expect(bed.host.specs.size).toBe(1);
    bed.host.fail(handle, 'evicted');
    await expect.poll(async () => (await bed.orchestrator().check(bed.io('3'), resource)).exitStatus).toBe(0);
  });

  test('[ORC-CHECK8] checks of a type that may keep files have a warm sandbox for each configuration', async () => {
    bed = testBed(SCRIPTS);
    const check = (planId: string, config: number) =>
      bed.orchestrator().check(bed.io(planId), { ...repository, config, source: { secret: config } });
    await check('1', 1);
    await check('2', 2);
    await check('3', 1);
    expect(bed.host.specs.size).toBe(2);
    expect([...bed.records.sandboxes.values()].map(({ config }) => config)).toEqual([1, 2]);
  });

  test('[ORC-CHECK8] checks of a custom type have one, too', async () => {
    bed = testBed(SCRIPTS);
    const made = await bed.orchestrator().get(bed.io('1'), { ...resource, version: { ref: 'image' } });
    const artifact = made.result?.artifact ?? { id: '' };
    const custom = {
      ...resource,
      image: { kind: 'artifact', artifact, privileged: false },
      imageCacheId: 'abc',
    } as const;
    for (const config of [1, 2, 2])
      expect((await bed.orchestrator().check(bed.io('2'), { ...custom, config })).exitStatus).toBe(0);
    expect([...bed.host.specs.values()].filter(({ labels }) => labels.type === 'check').length).toBe(2);
  });

  test('[ORC-CHECK8] checks of one configuration take turns', async () => {
    const ways = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let begun = 0;
    const check: Program = async ({ stdout }) => {
      await ways[begun++ as 0 | 1].promise;
      stdout('[]');
      return 0;
    };
    bed = testBed({ ...SCRIPTS, '/opt/resource/check': check });
    const first = bed.orchestrator().check(bed.io('1'), repository);
    await expect.poll(() => begun).toBe(1);
    const second = bed.orchestrator().check(bed.io('2'), repository);
    const other = bed.orchestrator().check(bed.io('3'), { ...repository, config: 2 });
    await expect.poll(() => begun).toBe(2); // the other one: the second waits
    ways[1].resolve();
    await other;
    expect(begun).toBe(2);
    ways[0].resolve();
    begun = 0;
    await Promise.all([first, second]);
    expect(begun).toBe(1);
  });

  test('[ORC-CHECK2] one that does not go is asked to again', async () => {
    const clock = manualClock();
    bed = testBed(SCRIPTS, { clock });
    await bed.orchestrator().check(bed.io('1'), resource);
    const [handle] = [...bed.host.specs.keys()] as [string];
    const destroy = bed.host.destroy.bind(bed.host);
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bed.host.destroy = async (doomed) => {
      const now = asked.shift();
      if (asked.length === 0) await destroy(doomed); // a lost node lets go only when pressed
      now?.resolve();
    };
    bed.host.fail(handle, 'its node does not answer');
    await bed.workers[0]?.watch.untilLost(handle, AbortSignal.timeout(10_000), () => {});
    const first = asked[0]?.promise;
    const checked = bed.orchestrator().check(bed.io('2'), resource);
    await first;
    await clock.advance(60_000);
    expect((await checked).exitStatus).toBe(0);
  });

  test('[ORC-CHECK7] each worker has a warm sandbox of its own, recorded as that worker’s', async () => {
    const hosts = ['worker-1', 'worker-2'].map((name) => new InMemoryHost(name, SCRIPTS));
    bed = testBed({}, { hosts });
    await bed.orchestrator().check(bed.io('1'), resource);
    await using other = testBed({}, { hosts, records: bed.records, states: { 'worker-1': 'landing' } });
    await other.orchestrator().check(other.io('2'), resource);
    const known = [...bed.records.sandboxes.values()].map(({ handle, worker }) => ({ handle, worker }));
    const running = hosts.flatMap((host) => [...host.specs.keys()].map((handle) => ({ handle, worker: host.name })));
    expect(running.map(({ worker }) => worker)).toEqual(['worker-1', 'worker-2']);
    expect(known).toEqual(running); // a collector destroys what its worker has and the records do not
    const uses = bed.records.uses;
    expect(new Set(uses).size).toBe(2);
  });

  test('[ORC-CHECK3] nothing of a check stays in the sandbox', async () => {
    bed = testBed(SCRIPTS);
    await bed.orchestrator().check(bed.io('1'), resource);
    const sidecar = bed.host.sidecar([...bed.host.specs.keys()][0] ?? '');
    await expect.poll(() => sidecar.processIds()).toEqual([]);
  });

  test.each([
    ['a resource', { resource: 'repo' }, true],
    ['an image', {}, false],
  ])('[ORC-CHECK6] the sandbox of a check of %s is noted for its build: %s', async (_, of, noted) => {
    bed = testBed(SCRIPTS);
    await bed.orchestrator().check(bed.io('1'), { ...resource, ...of });
    const [row] = [...bed.records.sandboxes.values()];
    expect(row?.labels.buildId !== undefined).toBe(noted);
  });

  test('[ORC-CHECK5] a check that takes long keeps its sandbox in use', async () => {
    const clock = manualClock();
    const [running, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Program = async ({ stdout }) => {
      running.resolve();
      await go.promise;
      stdout('[]');
      return 0;
    };
    bed = testBed({ ...SCRIPTS, '/opt/resource/check': slow }, { clock });
    const checked = bed.orchestrator().check(bed.io('1'), resource);
    await running.promise;
    const before = bed.records.uses.length;
    for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
    expect(bed.records.uses.length - before).toBe(10);
    go.resolve();
    await checked;
    expect(clock.sleepers()).toBe(0);
    expect(new Set(bed.records.uses)).toEqual(new Set(bed.host.specs.keys()));
  });

  test('[ORC-CHECK4] a warm sandbox that is lost under a check, or refuses this web, is not the check’s fault', async () => {
    let lose = () => {};
    let runs = 0;
    const check: Program = async ({ stdout }) => {
      if (++runs === 2) return new Promise(() => lose());
      stdout('[]');
      return 0;
    };
    bed = testBed({ ...SCRIPTS, '/opt/resource/check': check });
    const once = async (planId: string) => (await bed.orchestrator().check(bed.io(planId), resource)).exitStatus;
    expect(await once('1')).toBe(0);
    const [handle] = [...bed.host.specs.keys()] as [string];
    lose = () => void bed.host.destroy(handle);
    expect(await once('2')).toBe(0);
    expect(runs).toBe(3);
    bed.host.sidecar(handle).run = async () => {
      throw new BaggageclaimError('unauthorized', 'signed by another web');
    };
    expect(await once('3')).toBe(0);
    expect(runs).toBe(4);
  });

  test('[ORC-CHECK4] a sandbox that was made for the check and fails is an error that names the cause', async () => {
    bed = testBed({ ...SCRIPTS, '/opt/resource/check': () => new Promise(() => {}) });
    await bed.workers[0]?.watch.synced;
    const checked = bed.orchestrator().check(bed.io('1'), resource);
    checked.catch(() => {});
    await expect.poll(() => bed.host.specs.size).toBe(1);
    bed.host.fail([...bed.host.specs.keys()][0] ?? '', 'no such image');
    await expect(checked).rejects.toThrow('no such image');
  });

  test('[ORC-SCRIPT7] a script that answers without end is ended', async () => {
    const stopped = Promise.withResolvers<void>();
    const endless: Program = async (context) => {
      context.stopped.addEventListener('abort', () => stopped.resolve());
      context.stdout('x'.repeat(65 * 1024 * 1024));
      await stopped.promise;
      return 0;
    };
    bed = testBed({ ...SCRIPTS, '/opt/resource/check': endless });
    await expect(bed.orchestrator().check(bed.io('1'), resource)).rejects.toThrow('longer than 16 MiB');
    await stopped.promise;
  });
});
