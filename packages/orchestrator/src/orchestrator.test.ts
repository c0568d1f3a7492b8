import { BaggageclaimError } from '@seaplane/baggageclaim';
import { Drained, Interruption } from '@seaplane/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { HostError } from './host/host-error.ts';
import { cacheIdOf } from './placement/identity.ts';
import { systemClock } from './system-clock.ts';
import { OutOfMemory, type Program, type TestBed, testBed } from './testing/index.ts';
import { resource, SCRIPTS, task } from './testing/mock-type.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

describe('get', () => {
  const get = { ...resource, version: { ref: 'abc' } };

  test('[ORC-GET1] fetches into an artifact, and returns its metadata', async () => {
    bed = testBed(SCRIPTS);
    const { exitStatus, result } = await bed.orchestrator().get(bed.io('1'), get);
    expect(exitStatus).toBe(0);
    expect(result).toMatchObject({ version: { ref: 'abc' }, metadata: [{ name: 'ref', value: 'abc' }] });
    const file = await bed
      .orchestrator()
      .readFile(result?.artifact ?? { id: '' }, 'ref', 1024, AbortSignal.timeout(1000));
    expect(Buffer.from(file ?? []).toString()).toBe('abc');
  });

  test('[ORC-GET2] the same type, source, version and params are fetched once, also at once', async () => {
    bed = testBed(SCRIPTS);
    const [first, second] = [bed.io('1'), bed.io('2')];
    const results = await Promise.all([bed.orchestrator().get(first, get), bed.orchestrator().get(second, get)]);
    expect(results[0].result?.artifact).toEqual(results[1].result?.artifact);
    expect(first.written.stderr + second.written.stderr).toBe('fetching abc\n');
    expect(second.notices).toContainEqual({
      kind: 'message',
      text: expect.stringContaining('found existing resource cache'),
    });
    const other = bed.io('3');
    await bed.orchestrator().get(other, { ...get, params: { depth: 1 } });
    expect(other.written.stderr).toBe('fetching abc\n');
  });

  test('[ORC-GET3] a cache outlives its sandbox, in the store', async () => {
    bed = testBed(SCRIPTS);
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const artifact = result?.artifact ?? { id: '' };
    await bed.artifacts.keep(artifact, 1, AbortSignal.timeout(1000));
    for (const handle of [...bed.host.specs.keys()]) await bed.host.destroy(handle);
    const again = bed.io('2');
    expect((await bed.orchestrator().get(again, get)).result?.artifact).toEqual(artifact);
    expect(again.written.stderr).toBe('');
    const file = await bed.orchestrator().readFile(artifact, 'ref', 1024, AbortSignal.timeout(1000));
    expect(Buffer.from(file ?? []).toString()).toBe('abc');
  });

  test('[ORC-GET5] a version that the store has lost is fetched again', async () => {
    bed = testBed(SCRIPTS);
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const first = result?.artifact ?? { id: '' };
    const store = await bed.artifacts.keep(first, 1, AbortSignal.timeout(1000));
    for (const handle of [...bed.host.specs.keys()]) await bed.host.destroy(handle);
    await store.deleteArtifact(first.id, AbortSignal.timeout(1000));
    const again = bed.io('2');
    const second = (await bed.orchestrator().get(again, get)).result?.artifact ?? first;
    expect(again.written.stderr).toBe('fetching abc\n');
    expect(second).not.toEqual(first);
    const file = await bed.orchestrator().readFile(second, 'ref', 1024, AbortSignal.timeout(1000));
    expect(Buffer.from(file ?? []).toString()).toBe('abc');
  });

  test('[ORC-GET7] the build uses what it gets, found or fetched, and the images its steps run from', async () => {
    bed = testBed(SCRIPTS);
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const use = { cacheId: result?.cacheId ?? '', buildId: 42, image: false };
    expect(bed.records.cacheUses).toEqual([use]);
    bed.records.cacheUses.length = 0;
    await bed.orchestrator().get(bed.io('2'), get);
    expect(bed.records.cacheUses).toEqual([use]);
    const image = { kind: 'artifact', artifact: result?.artifact ?? { id: '' }, privileged: false } as const;
    await bed.orchestrator().task(bed.io('3'), { ...task, image, path: 'false' });
    expect(bed.records.cacheUses).toEqual([{ ...use, image: true }]);
  });

  test('[ORC-GET9] another build gets what was stored, not what is in the sandbox now', async () => {
    bed = testBed(SCRIPTS);
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const artifact = result?.artifact ?? { id: '' };
    const [handle = ''] = [...bed.host.specs.keys()];
    await bed.artifacts.keep(artifact, 1, AbortSignal.timeout(1000));
    bed.records.hijacked.add(handle);
    bed.host.sidecar(handle).files.write('/tmp/build/get/ref', 'poison');
    const other = bed.io('1', { buildId: 43 });
    expect((await bed.orchestrator(43).get(other, get)).result?.artifact).toEqual(artifact);
    expect(other.written.stderr).toBe('');
    const file = await bed.orchestrator(43).readFile(artifact, 'ref', 1024, AbortSignal.timeout(1000));
    expect(Buffer.from(file ?? []).toString()).toBe('abc');
  });

  test('[ORC-GET9] another build fetches for itself what somebody may have changed before it was stored', async () => {
    bed = testBed({
      ...SCRIPTS,
      '/opt/resource/in': async (process) => {
        const [handle = ''] = [...bed.host.specs.keys()];
        if (bed.host.specs.size === 1) bed.records.hijacked.add(handle);
        return (await SCRIPTS['/opt/resource/in']?.(process)) ?? 1;
      },
    });
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const own = bed.io('2');
    expect((await bed.orchestrator().get(own, get)).result?.artifact).toEqual(result?.artifact);
    expect(own.written.stderr).toBe('');
    const other = bed.io('1', { buildId: 43 });
    expect((await bed.orchestrator(43).get(other, get)).result?.artifact).not.toEqual(result?.artifact);
    expect(other.written.stderr).toBe('fetching abc\n');
    const third = bed.io('1', { buildId: 44 });
    await bed.orchestrator(44).get(third, get);
    expect(third.written.stderr).toBe('');
  });

  test('[ORC-GET9] another build waits for the store, and its own build does not', async () => {
    bed = testBed(SCRIPTS);
    const store = await bed.host.store();
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pull = store.pullArtifact.bind(store);
    store.pullArtifact = async (...all) => {
      asked.resolve();
      await go.promise;
      await pull(...all);
    };
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    await asked.promise;
    expect((await bed.orchestrator().get(bed.io('2'), get)).result?.artifact).toEqual(result?.artifact);
    const io = bed.io('1', { buildId: 43 });
    let waited = true;
    const other = bed.orchestrator(43).get(io, get);
    void other.then(() => (waited = false));
    await bed.orchestrator().get(bed.io('3'), get);
    expect(waited).toBe(true);
    go.resolve();
    expect((await other).result?.artifact).toEqual(result?.artifact);
    expect(io.written.stderr).toBe('');
  });

  test('[ORC-GET10] the scripts of a resource do not run from an image that somebody may have changed', async () => {
    bed = testBed({ ...SCRIPTS, true: async () => 0 });
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const artifact = result?.artifact ?? { id: '' };
    await bed.artifacts.keep(artifact, 1, AbortSignal.timeout(1000));
    const image = { kind: 'artifact', artifact, privileged: false } as const;
    const custom = { ...get, type: 'custom', image, imageCacheId: result?.cacheId ?? '' };
    expect((await bed.orchestrator().get(bed.io('2'), custom)).exitStatus).toBe(0);
    await bed.records.markArtifactLost(artifact.id);
    bed.records.hijacked.add([...bed.host.specs.keys()][0] ?? '');
    await bed.records.markArtifactStored(artifact.id);
    const changed = { ...custom, source: { uri: 'y' } };
    const refused = { code: 'artifact-touched', message: expect.stringContaining('Run the build again') };
    await expect(bed.orchestrator().get(bed.io('3'), changed)).rejects.toMatchObject(refused);
    await expect(bed.orchestrator().put(bed.io('4'), { ...changed, inputs: {} })).rejects.toMatchObject(refused);
    await expect(bed.orchestrator().check(bed.io('5'), changed)).rejects.toMatchObject(refused);
    expect((await bed.orchestrator().task(bed.io('6'), { ...task, image, path: 'true' })).exitStatus).toBe(0);
  });

  test('[ORC-GET4] a script that fails is a failure with its status, and is not cached', async () => {
    bed = testBed({ ...SCRIPTS, '/opt/resource/in': async () => 3 });
    expect(await bed.orchestrator().get(bed.io('1'), get)).toEqual({ exitStatus: 3 });
    expect(bed.records.caches.size).toBe(0);
  });
});

describe('put and task', () => {
  const trap: Program = async ({ stopped, stdout }) => {
    stdout('running\n');
    await new Promise((resolve) => stopped.addEventListener('abort', resolve));
    stdout('got the signal\n');
    return 0;
  };

  test('[ORC-TASK1] inputs are copies, outputs are artifacts, and a put uses them', async () => {
    const build: Program = async ({ request, files, stdout }) => {
      const input = files.read(`${request.dir}/source/ref`)?.toString();
      files.write(`${request.dir}/source/ref`, 'scribbled on');
      files.write(`${request.dir}/built/ref`, `${input}-built`);
      stdout(`building ${input}\n`);
      return 0;
    };
    bed = testBed({ ...SCRIPTS, build });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...resource, version: { ref: 'abc' } });
    const source = result?.artifact ?? { id: '' };
    const io = bed.io('2');
    const built = await bed.orchestrator().task(io, {
      ...task,
      path: 'build',
      inputs: [{ name: 'source', path: 'source', artifact: source }],
      outputs: [{ name: 'built', path: 'built' }],
    });
    expect(built.exitStatus).toBe(0);
    expect(io.written.stdout).toBe('building abc\n');
    const untouched = await bed.orchestrator().readFile(source, 'ref', 1024, AbortSignal.timeout(1000));
    expect(Buffer.from(untouched ?? []).toString()).toBe('abc');
    const inputs = { built: built.outputs['built'] ?? { id: '' } };
    const put = await bed.orchestrator().put(bed.io('3'), { ...resource, inputs });
    expect(put.result?.version).toEqual({ ref: 'abc-built' });
  });

  test('[ORC-TASK2] an artifact is an image, with its environment and user', async () => {
    const seen: object[] = [];
    const look: Program = async ({ request }) => {
      seen.push({ env: request.env, user: request.user });
      return 0;
    };
    bed = testBed({ ...SCRIPTS, look });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...resource, version: { ref: 'abc' } });
    const image = { kind: 'artifact' as const, artifact: result?.artifact ?? { id: '' }, privileged: false };
    await bed.orchestrator().task(bed.io('2'), { ...task, image, path: 'look', env: { MINE: '1' } });
    expect(seen).toEqual([{ env: { FROM_IMAGE: 'yes', MINE: '1' }, user: 'nobody' }]);
    const references = [...bed.host.specs.values()].map((spec) => spec.image.reference);
    expect(references.at(-1)).toMatch(/^store\.local\/.*@sha256:/);
  });

  test('[ORC-TASK3] a red task is a status; a missing executable is an error', async () => {
    bed = testBed(SCRIPTS);
    expect((await bed.orchestrator().task(bed.io('1'), { ...task, path: 'false' })).exitStatus).toBe(1);
    await expect(bed.orchestrator().task(bed.io('2'), { ...task, path: 'nope' })).rejects.toMatchObject({
      code: 'not-started',
    });
  });

  test.each([
    [64 * 2 ** 20, 'the step used more memory than its limit of 64 MiB. Raise container_limits.memory'],
    [0, 'its node ran out of memory. Set container_limits.memory, so that the step runs where there is enough'],
  ])(
    '[ORC-TASK18] the log says that the kernel killed a process of a step for memory: limit %d',
    async (limit, words) => {
      const eat: Program = async () => Promise.reject(new OutOfMemory(limit));
      bed = testBed({ ...SCRIPTS, eat });
      const io = bed.io('1');
      expect((await bed.orchestrator().task(io, { ...task, path: 'eat' })).exitStatus).toBe(137);
      expect(io.notices.at(-1)).toEqual({ kind: 'message', text: `a process of this step was killed: ${words}` });
    },
  );

  test('[ORC-TASK4] another web continues where the first was: one process, no byte lost or doubled', async () => {
    let runs = 0;
    const release = Promise.withResolvers<void>();
    const count: Program = async ({ stdout }) => {
      runs++;
      stdout('one\n');
      await release.promise;
      stdout('two\n');
      return 0;
    };
    bed = testBed({ ...SCRIPTS, count });
    const first = bed.io('1');
    const crashed = bed.orchestrator().task(first, { ...task, path: 'count' });
    crashed.catch(() => {});
    await expect.poll(() => first.written.stdout).toBe('one\n');
    const second = bed.io('1', { written: { ...first.written } });
    const resumed = bed.orchestrator().task(second, { ...task, path: 'count' });
    release.resolve();
    expect((await resumed).exitStatus).toBe(0);
    expect(second.written.stdout).toBe('one\ntwo\n');
    expect(runs).toBe(1);
  });

  test('[ORC-TASK5] an abort stops the process, logs its last words and throws the reason', async () => {
    bed = testBed({ ...SCRIPTS, trap });
    const abort = new AbortController();
    const io = bed.io('1', { signal: abort.signal });
    const outputs = [{ name: 'left', path: 'left' }];
    const running = bed.orchestrator().task(io, { ...task, path: 'trap', outputs });
    running.catch(() => {});
    await expect.poll(() => io.written.stdout).toBe('running\n');
    abort.abort(new Interruption('abort'));
    expect(await running).toEqual({ outputs: { left: expect.anything() } });
    expect(io.written.stdout).toBe('running\ngot the signal\n');
  });

  test('[ORC-TASK5] a step that was interrupted before a restart is ended after it; one that never ran is not started', async () => {
    bed = testBed({ ...SCRIPTS, trap });
    const first = bed.io('1');
    bed
      .orchestrator()
      .task(first, { ...task, path: 'trap' })
      .catch(() => {});
    await expect.poll(() => first.written.stdout).toBe('running\n');
    const signal = AbortSignal.abort(new Interruption('abort'));
    const second = bed.io('1', { signal, written: { ...first.written } });
    expect(await bed.orchestrator().task(second, { ...task, path: 'trap' })).toEqual({ outputs: {} });
    expect(second.written.stdout).toBe('running\ngot the signal\n');
    await expect(bed.orchestrator().task(bed.io('2', { signal }), { ...task, path: 'trap' })).rejects.toBe(
      signal.reason,
    );
    expect(bed.host.specs.size).toBe(1);
  });

  test('[ORC-TASK8] a web that is drained leaves the process alone', async () => {
    let stopped = false;
    const hang: Program = async (context) => {
      context.stopped.addEventListener('abort', () => {
        stopped = true;
      });
      context.stdout('running\n');
      return new Promise(() => {});
    };
    bed = testBed({ ...SCRIPTS, hang });
    const drain = new AbortController();
    const io = bed.io('1', { signal: drain.signal });
    const running = bed.orchestrator().task(io, { ...task, path: 'hang' });
    running.catch(() => {});
    await expect.poll(() => io.written.stdout).toBe('running\n');
    drain.abort(new Drained());
    await expect(running).rejects.toBe(drain.signal.reason);
    expect(stopped).toBe(false);
  });

  test('[ORC-TASK6] a step whose sandbox is lost errors with the code and the cause', async () => {
    const hang: Program = async ({ stdout }) => {
      stdout('running\n');
      return new Promise(() => {});
    };
    bed = testBed({ ...SCRIPTS, hang });
    const io = bed.io('1');
    const running = bed.orchestrator().task(io, { ...task, path: 'hang' });
    running.catch(() => {});
    await expect.poll(() => io.written.stdout).toBe('running\n');
    const [handle] = [...bed.host.specs.keys()] as [string];
    bed.host.notice(handle, 'the node is low on memory');
    bed.host.fail(handle, 'the pod was evicted: the node was low on memory', 'evicted');
    await expect(running).rejects.toMatchObject({
      code: 'evicted',
      message: 'the pod was evicted: the node was low on memory',
    });
    expect(io.notices).toContainEqual({ kind: 'message', text: 'the node is low on memory' });
  });

  test('[ORC-TASK6] a step whose sandbox the host refuses errors with the host’s code, and the records have its words', async () => {
    bed = testBed(SCRIPTS);
    bed.host.create = async () => Promise.reject(new HostError('refused', 'the image is not allowed'));
    const refused = bed.orchestrator().task(bed.io('1'), { ...task, path: 'false' });
    await expect(refused).rejects.toMatchObject({ code: 'refused', message: 'the image is not allowed' });
    const states = [...bed.records.sandboxes.values()].map(({ state, reason }) => ({ state, reason }));
    expect(states).toEqual([{ state: 'failed', reason: 'the image is not allowed' }]);
  });

  test('[ORC-TASK9] a cache is there for the next build of the same step and job, and for no other', async () => {
    const warm: Program = async ({ request, files, stdout }) => {
      stdout(`${files.read(`${request.dir}/cache/file`)?.toString() ?? 'cold'}\n`);
      files.write(`${request.dir}/cache/file`, 'warm');
      return 0;
    };
    bed = testBed({ ...SCRIPTS, warm });
    const run = async (planId: string, jobId?: number) => {
      const io = bed.io(planId);
      const caches = [{ path: 'cache' }];
      await bed.orchestrator().task(io, { ...task, path: 'warm', caches, ...(jobId ? { cacheOwner: { jobId } } : {}) });
      return io.written.stdout;
    };
    expect([await run('1', 3), await run('2', 3), await run('3', 4), await run('4')]).toEqual([
      'cold\n',
      'warm\n',
      'cold\n',
      'cold\n',
    ]);
  });

  test('[ORC-TASK9] a cache that can’t be kept is reported, and the task’s result does not change', async () => {
    bed = testBed(SCRIPTS);
    bed.host.store = async () => Promise.reject(new Error('the store is away'));
    const io = bed.io('1');
    const caches = [{ path: 'cache' }];
    const run = bed.orchestrator().task(io, { ...task, path: 'false', caches, cacheOwner: { jobId: 3 } });
    expect(await run).toEqual({ exitStatus: 1, outputs: {} });
    const text = 'the cache cache is not kept for the next build: the store is away';
    expect(io.notices).toContainEqual({ kind: 'message', text });
  });

  test('[ORC-TASK12] an output at the place of an input, outside of the build directory, is one volume', async () => {
    bed = testBed(SCRIPTS);
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...resource, version: { ref: 'abc' } });
    const inputs = [{ name: 'in', path: '/data', artifact: result?.artifact ?? { id: '' } }];
    const outputs = [{ name: 'out', path: '/data' }];
    await bed.orchestrator().task(bed.io('2'), { ...task, path: 'false', inputs, outputs, caches: [{ path: '/c' }] });
    expect([...bed.host.specs.values()].at(-1)?.mounts).toEqual(['/data', '/c']);
  });

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
      message: expect.stringMatching(
        /^the sandbox task-\S+ does not answer \(connect ETIMEDOUT\): its node may be lost/,
      ),
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

  test('[ORC-TASK7] no worker has a base type by the name of something that every object has', async () => {
    bed = testBed(SCRIPTS);
    const image = { kind: 'base-type', type: 'constructor', privileged: false } as const;
    const asked = bed.orchestrator().check(bed.io('1'), { ...resource, type: 'constructor', image });
    await expect(asked).rejects.toThrow("no workers satisfying: resource type 'constructor'");
  });

  test('[ORC-GET8] a cache of a custom type never has the id of a base type’s cache', () => {
    const get = { ...resource, version: { ref: 'abc' } };
    expect(cacheIdOf({ ...get, type: 'x' })).not.toBe(cacheIdOf({ ...get, imageCacheId: 'x' }));
    expect(cacheIdOf({ ...get, type: 'x', imageCacheId: 'i' })).toBe(
      cacheIdOf({ ...get, type: 'y', imageCacheId: 'i' }),
    );
  });

  test('[ORC-TASK7] a task for another platform has no worker, with or without an image', async () => {
    bed = testBed(SCRIPTS);
    for (const image of [task.image, { kind: 'none', privileged: false } as const]) {
      const windows = bed.orchestrator().task(bed.io('1'), { ...task, image, path: 'false', platform: 'windows' });
      await expect(windows).rejects.toThrow(/^no workers satisfying: (resource type 'mock', )?platform 'windows'$/);
    }
  });

  test('[ORC-TASK7] a task without an image does not start on a worker that needs one', async () => {
    bed = testBed(SCRIPTS);
    const image = { kind: 'none', privileged: false } as const;
    const asked = bed.orchestrator().task(bed.io('1'), { ...task, image, path: 'false' });
    await expect(asked).rejects.toThrow('a step on the worker worker-1 needs an image');
  });

  test('[ORC-TASK7] a step without a worker names what it asked for', async () => {
    bed = testBed(SCRIPTS);
    const tagged = bed.orchestrator().task(bed.io('1'), { ...task, path: 'false', tags: ['gpu'] });
    await expect(tagged).rejects.toThrow("no workers satisfying: resource type 'mock', platform 'linux', tag 'gpu'");
  });
});
