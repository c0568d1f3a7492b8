import { Drained, Interruption } from '@seaplane/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { HostError } from './host/host-error.ts';
import { cacheIdOf } from './placement/identity.ts';
import { workersFor } from './placement/workers.ts';
import { InMemoryHost, OutOfMemory, type Program, type TestBed, testBed } from './testing/index.ts';
import { resource, SCRIPTS, task } from './testing/mock-type.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

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

  test('[ORC-WRK4] tasks and scripts have the proxies of their worker', async () => {
    const seen: object[] = [];
    const look: Program = async ({ request, stdout }) => {
      seen.push(request.env);
      stdout('[]');
      return 0;
    };
    const proxyEnv = { https_proxy: 'http://proxy:3128', no_proxy: 'localhost' };
    bed = testBed({ ...SCRIPTS, look, '/opt/resource/check': look }, { proxyEnv });
    await bed.orchestrator().task(bed.io('1'), { ...task, path: 'look', env: { MINE: '1', no_proxy: 'x' } });
    await bed.orchestrator().check(bed.io('2'), resource);
    expect(seen).toMatchObject([{ ...proxyEnv, MINE: '1' }, proxyEnv]);
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
    await expect(asked).rejects.toThrow(
      "the step has no image, and the worker worker-1 has none of its own: give the task's config an 'image_resource'",
    );
  });

  test('[ORC-TASK20] a task without an image runs from the host’s own, on a worker that has one', async () => {
    const [plain, own] = [new InMemoryHost('plain'), new InMemoryHost('own')];
    Object.assign(own, { ownImage: 'host' });
    const needs = { tags: [], team: 'main' };
    const workers = [plain, own].map((host) => ({ name: host.name, host, tags: [], baseTypes: {}, state: 'running' }));
    const choose = (ownImage: boolean) => workersFor(workers as never, { ...needs, ownImage })[0].name;
    expect([choose(true), choose(false)]).toEqual(['own', 'plain']);
    bed = testBed({ true: async () => 0 });
    Object.assign(bed.host, { ownImage: 'host' });
    const image = { kind: 'none', privileged: false } as const;
    expect(await bed.orchestrator().task(bed.io('1'), { ...task, image, path: 'true' })).toMatchObject({
      exitStatus: 0,
    });
    expect([...bed.host.specs.values()].map(({ image: made }) => made.reference)).toEqual(['host']);
  });

  test('[ORC-TASK23] a step with an image runs on a worker that has images, if there is one', () => {
    const [without, other] = [new InMemoryHost('without'), new InMemoryHost('with')];
    Object.assign(without, { ownImage: 'host', images: 'none' });
    const workers = [without, other].map((host) => ({
      name: host.name,
      host,
      tags: [],
      baseTypes: {},
      state: 'running',
    }));
    const choose = (ownImage: boolean, among = workers) =>
      workersFor(among as never, { tags: [], team: 'main', ownImage }).map(({ name }) => name);
    expect([choose(false), choose(true)]).toEqual([['with'], ['without']]);
    expect(choose(false, workers.slice(0, 1))).toEqual(['without']); // which says why it can't
  });

  test('[ORC-TASK22] the host knows an image that the pipeline names from one of the operator', async () => {
    bed = testBed({ true: async () => 0 });
    const image = { kind: 'uri', uri: 'docker:///busybox', privileged: false } as const;
    await bed.orchestrator().task(bed.io('1'), { ...task, image, path: 'true' });
    await bed.orchestrator().task(bed.io('2'), { ...task, path: 'true' });
    const [named, configured] = [...bed.host.specs.values()].map(({ image: made }) => made);
    expect(named).toEqual({ reference: 'busybox', fromPipeline: true });
    expect(configured?.fromPipeline).toBeUndefined();
  });

  test('[ORC-TASK7] a step without a worker names what it asked for', async () => {
    bed = testBed(SCRIPTS);
    const tagged = bed.orchestrator().task(bed.io('1'), { ...task, path: 'false', tags: ['gpu'] });
    await expect(tagged).rejects.toThrow("no workers satisfying: resource type 'mock', platform 'linux', tag 'gpu'");
  });
});
