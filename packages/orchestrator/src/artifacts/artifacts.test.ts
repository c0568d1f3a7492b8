import { BaggageclaimError } from '@seaplane/baggageclaim';
import { afterEach, describe, expect, test } from 'vitest';
import type { SandboxEvent } from '../host/sandbox-host.ts';
import { InMemoryHost, type TestBed, testBed } from '../testing/index.ts';
import { BUILD } from '../testing/test-bed.ts';

const soon = () => AbortSignal.timeout(10_000);
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

/** A sandbox with a file in a directory, which is an artifact. */
async function makeArtifact(handle = 'task-1', path = '/tmp/build/out') {
  const [worker] = bed.workers as [TestBed['workers'][number]];
  const labels = { type: 'task' as const, team: 'main', step: 'x' };
  const plain = { privileged: false, hermetic: false, mounts: [] };
  const owner = { buildId: BUILD.id, planId: '1' };
  await bed.records.recordSandbox({ handle, worker: worker.name, labels, owner, workingDirectory: '/', user: '' });
  await bed.host.create({ handle, image: { reference: 'x' }, labels, ...plain });
  await worker.watch.untilReady(handle, soon(), () => {});
  bed.host.sidecar(handle).files.write(`${path}/file`, path);
  return { worker, artifact: await bed.artifacts.record(worker, handle, path) };
}

async function lose(handle: string): Promise<void> {
  await bed.host.destroy(handle);
  await bed.workers[0]?.watch.untilGone(handle, soon());
}

test('[ORC-ART1] paths that look alike are different artifacts, and a long one is one too', async () => {
  bed = testBed({});
  const paths = ['/tmp/build/a-b', '/tmp/build/a.b', '/tmp/build/a/b', `/tmp/build/${'x'.repeat(250)}`];
  const all = await Promise.all(paths.map(async (path) => (await makeArtifact('task-1', path)).artifact));
  expect(
    await Promise.all(all.map(async (one) => text(await bed.artifacts.readFile(one, BUILD.id, 'file', 1024, soon())))),
  ).toEqual(paths);
  for (const { id } of all) expect(id).toMatch(/^[A-Za-z0-9-]{1,100}$/);
});

test('[ORC-ART7] a file is read from below its artifact only, while the sandbox lives and from the store', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact('task-1', '/tmp/build/out');
  await makeArtifact('task-1', '/tmp/build/other');
  const outside = ['../other/file', '../../../etc/passwd', 'x/../../other/file', '..', '../out/file'];
  const within = ['file', './file', 'x/../file', '/file'];
  await bed.artifacts.keep(artifact, 1, soon());
  for (const lives of [true, false]) {
    if (!lives) await lose('task-1');
    for (const path of outside)
      expect(await bed.artifacts.readFile(artifact, BUILD.id, path, 1024, soon())).toBeUndefined();
    for (const path of within)
      expect(text(await bed.artifacts.readFile(artifact, BUILD.id, path, 1024, soon()))).toBe('/tmp/build/out');
  }
});

describe('a store that has lost what it had', () => {
  test('[ORC-ART2] is filled again while the sandbox lives', async () => {
    bed = testBed({});
    const { artifact } = await makeArtifact();
    const store = await bed.artifacts.keep(artifact, 1, soon());
    await store.deleteArtifact(artifact.id, soon());
    await bed.artifacts.keep(artifact, 1, soon());
    expect(await store.hasArtifact(artifact.id, soon())).toBe(true);
  });

  test('[ORC-ART2] after that the artifact has gone, rather than lacking a file', async () => {
    bed = testBed({});
    const { artifact } = await makeArtifact();
    const store = await bed.artifacts.keep(artifact, 1, soon());
    await lose('task-1');
    expect(await bed.artifacts.isThere(artifact, bed.reader())).toBe(true);
    expect(await bed.artifacts.readFile(artifact, BUILD.id, 'none', 1024, soon())).toBeUndefined();
    await store.deleteArtifact(artifact.id, soon());
    expect(await bed.artifacts.isThere(artifact, bed.reader())).toBe(false);
    const lost = {
      code: 'artifact-gone',
      message: expect.stringContaining('the store of the worker worker-1 has lost'),
    };
    await expect(bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon())).rejects.toMatchObject(lost);
    await expect(bed.artifacts.read(artifact, soon())).rejects.toMatchObject(lost);
    await expect(bed.artifacts.sources(artifact, bed.reader())).rejects.toMatchObject(lost);
    await expect(bed.artifacts.keep(artifact, 1, soon())).rejects.toMatchObject(lost);
  });
});

test('[ORC-ART3] a store that is away does not delay a reader while the sandbox lives', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  await bed.artifacts.keep(artifact, 1, soon());
  bed.host.store = async () => Promise.reject(new Error('the store is away'));
  expect(await bed.artifacts.sources(artifact, bed.reader())).toHaveLength(1);
  expect(await bed.artifacts.isThere(artifact, bed.reader())).toBe(true);
  await lose('task-1');
  expect(await bed.artifacts.isThere(artifact, bed.reader())).toBe(false);
  await expect(bed.artifacts.sources(artifact, bed.reader())).rejects.toThrow('the store is away');
});

test('[ORC-ART11] a reader may take it from the store, though it was not stored when the reader asked', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const sources = await bed.artifacts.sources(artifact, bed.reader());
  expect(sources).toHaveLength(2);
  bed.host.store = () => new Promise(() => {});
  expect(await bed.artifacts.sources(artifact, bed.reader())).toHaveLength(1);
});

test('[ORC-ART11] a file is read from the store if the sandbox makes room meanwhile', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  await bed.artifacts.keep(artifact, 1, soon());
  bed.host.sidecar('task-1').readFile = async () => {
    throw new BaggageclaimError('unreachable', 'the pod has gone');
  };
  expect(text(await bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon()))).toBe('/tmp/build/out');
});

test('[ORC-ART4] of those who wait for a copy each may leave, and the others get it', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const store = await bed.host.store();
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pull = store.pullArtifact.bind(store);
  store.pullArtifact = async (id, team, from, signal) => {
    asked.resolve();
    await go.promise;
    signal.throwIfAborted();
    await pull(id, team, from, signal);
  };
  const leaving = new AbortController();
  const first = bed.artifacts.keep(artifact, 1, leaving.signal);
  const second = bed.artifacts.keep(artifact, 1, soon());
  await asked.promise;
  leaving.abort(new Error('aborted'));
  await expect(first).rejects.toThrow('aborted');
  go.resolve();
  expect(await (await second).hasArtifact(artifact.id, soon())).toBe(true);
});

test('[ORC-ART4] a copy ends when the last of those who wait for it has left, and can be made again', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const store = await bed.host.store();
  const asked = Promise.withResolvers<AbortSignal>();
  const pull = store.pullArtifact;
  store.pullArtifact = (_id, _team, _from, signal) => {
    asked.resolve(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const leaving = [new AbortController(), new AbortController()];
  const outcomes = Promise.allSettled(leaving.map(({ signal }) => bed.artifacts.keep(artifact, 1, signal)));
  const signal = await asked.promise;
  for (const one of leaving) one.abort(new Error('the build was aborted'));
  await outcomes;
  expect(signal.aborted).toBe(true);
  store.pullArtifact = pull;
  await bed.artifacts.keep(artifact, 1, soon());
  expect(await store.hasArtifact(artifact.id, soon())).toBe(true);
});

test('[ORC-ART10] a store without room for the team, or for such an artifact, is an error in words', async () => {
  bed = testBed({});
  const { artifact, worker } = await makeArtifact();
  const store = await bed.host.store();
  const teams: string[] = [];
  const refuse = (code: 'full' | 'too-large') => {
    store.pullArtifact = async (_, team) => {
      teams.push(team);
      throw new BaggageclaimError(code, 'the words of the store');
    };
    store.putArtifact = (id, team, _tar, signal) => store.pullArtifact(id, team, [], signal);
  };
  const upload = () => bed.artifacts.upload(worker, { id: 'upload-1', teamId: 2 }, new Blob([]).stream(), soon());
  refuse('full');
  const full = {
    code: 'store-full',
    message: expect.stringMatching(/^the store of the worker worker-1 is full: the words/),
  };
  await expect(bed.artifacts.keep(artifact, 1, soon())).rejects.toMatchObject(full);
  await expect(upload()).rejects.toMatchObject(full);
  refuse('too-large');
  const large = {
    code: 'artifact-too-large',
    message: expect.stringContaining('worker-1 does not keep this: the words'),
  };
  await expect(bed.artifacts.keep(artifact, 1, soon())).rejects.toMatchObject(large);
  await expect(upload()).rejects.toMatchObject(large);
  expect(teams).toEqual(['1', '2', '1', '2']);
});

test('[ORC-ART5] no artifact has gone before the first sync', async () => {
  const gate = Promise.withResolvers<void>();
  const watched = Promise.withResolvers<void>();
  class LateHost extends InMemoryHost {
    late = false;
    override async *watch(signal: AbortSignal): AsyncGenerator<SandboxEvent> {
      watched.resolve();
      if (this.late) await gate.promise;
      yield* super.watch(signal);
    }
  }
  const host = new LateHost('worker-1');
  await using first = testBed({}, { hosts: [host] });
  bed = first;
  const { artifact } = await makeArtifact();
  host.late = true;
  bed = testBed({}, { hosts: [host], records: first.records });
  await watched.promise;
  const there = bed.artifacts.isThere(artifact, bed.reader());
  const file = bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon());
  gate.resolve();
  expect(await there).toBe(true);
  expect(text(await file)).toBe('/tmp/build/out');
});

test('[ORC-ART8] steps of another build read an artifact from the store, not from the sandbox that made it', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const other = BUILD.id + 1;
  expect(await bed.artifacts.isThere(artifact, bed.reader({ buildId: other }))).toBe(false);
  await expect(bed.artifacts.sources(artifact, bed.reader({ buildId: other }))).rejects.toMatchObject({
    code: 'artifact-gone',
  });
  const store = await bed.artifacts.keep(artifact, 1, soon());
  bed.host.sidecar('task-1').files.write('/tmp/build/out/file', 'changed later');
  expect(await bed.artifacts.isThere(artifact, bed.reader({ buildId: other }))).toBe(true);
  expect(await bed.artifacts.sources(artifact, bed.reader({ buildId: other }))).toEqual([
    store.artifactSource(artifact.id),
  ]);
  expect(text(await bed.artifacts.readFile(artifact, other, 'file', 1024, soon()))).toBe('/tmp/build/out');
  expect(text(await bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon()))).toBe('changed later');
});

test('[ORC-ART8] an artifact that the store lost is not untouched when it is copied from an entered sandbox', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const store = await bed.artifacts.keep(artifact, 1, soon());
  expect(bed.records.artifacts.get(artifact.id)).toMatchObject({ stored: true, untouched: true });
  await store.deleteArtifact(artifact.id, soon());
  bed.records.hijacked.add('task-1');
  await bed.artifacts.keep(artifact, 1, soon());
  expect(bed.records.artifacts.get(artifact.id)).toMatchObject({ stored: true, untouched: false });
});

test('[ORC-ART12] a copy that fails because its sandbox was lost is explained by the loss', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const store = await bed.host.store();
  store.pullArtifact = async () => {
    // The watch hears of the loss later than the store notices it.
    setImmediate(() => bed.host.fail('task-1', 'the pod task-1 was evicted', 'evicted'));
    throw new BaggageclaimError('unavailable', 'could not be pulled: EHOSTUNREACH');
  };
  const copy = bed.artifacts.keep(artifact, 1, soon());
  await expect(copy).rejects.toMatchObject({
    code: 'artifact-gone',
    message: expect.stringMatching(/has gone: its sandbox was lost before it was stored: the pod task-1 was evicted/),
  });
});

test('[ORC-ART12] so is one whose sandbox has gone altogether', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  const store = await bed.host.store();
  store.pullArtifact = async () => {
    await lose('task-1');
    throw new BaggageclaimError('unavailable', 'could not be pulled: EHOSTUNREACH');
  };
  const copy = bed.artifacts.keep(artifact, 1, soon());
  await expect(copy).rejects.toMatchObject({ code: 'artifact-gone' });
});

test('[ORC-ART12] so is a file that cannot be read', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  bed.host.sidecar('task-1').readFile = async () => {
    setImmediate(() => bed.host.fail('task-1', 'the pod task-1 was evicted', 'evicted'));
    throw new BaggageclaimError('unreachable', 'EHOSTUNREACH');
  };
  await expect(bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon())).rejects.toMatchObject({
    code: 'artifact-gone',
    message: expect.stringMatching(/was lost before it was stored: the pod task-1 was evicted/),
  });
});

/** The store goes away as soon as it is asked for something, and another one is there after that. */
function replaceStore(method: 'hasArtifact' | 'pullArtifact' | 'makeImage' | 'readArtifactFile' | 'readArtifact') {
  const find = bed.host.store.bind(bed.host);
  let calls = 0;
  bed.host.store = async () => {
    const store = await find();
    if (calls++ > 0) return store;
    const away = () => Promise.reject(new BaggageclaimError('unreachable', 'no connection in 5000 ms'));
    return new Proxy(store, {
      get(of, key) {
        const own: unknown = Reflect.get(of, key);
        if (key === method) return away;
        return typeof own === 'function' ? own.bind(of) : own;
      },
    });
  };
}

test('[ORC-ART17] a store that was replaced is found again', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  bed.host.sidecar('task-1').files.write('/tmp/build/out/metadata.json', '{}');
  replaceStore('pullArtifact');
  const store = await bed.artifacts.keep(artifact, 1, soon());
  expect(await store.hasArtifact(artifact.id, soon())).toBe(true);
  const reader = bed.reader();
  await lose('task-1');
  replaceStore('hasArtifact');
  expect(await bed.artifacts.sources(artifact, reader)).toHaveLength(1);
  replaceStore('hasArtifact');
  expect(await bed.artifacts.isThere(artifact, reader)).toBe(true);
  replaceStore('readArtifactFile');
  expect(text(await bed.artifacts.readFile(artifact, BUILD.id, 'file', 1024, soon()))).toBe('/tmp/build/out');
  replaceStore('readArtifact');
  await (await bed.artifacts.read(artifact, soon())).cancel();
  replaceStore('makeImage');
  expect((await bed.artifacts.makeImage(artifact, reader)).path).toBe(artifact.id);
});

test('[ORC-ART17] a store that stays away is an error', async () => {
  bed = testBed({});
  const { artifact } = await makeArtifact();
  (await bed.host.store()).pullArtifact = () => Promise.reject(new BaggageclaimError('unreachable', 'away for good'));
  await expect(bed.artifacts.keep(artifact, 1, soon())).rejects.toThrow('away for good');
});
