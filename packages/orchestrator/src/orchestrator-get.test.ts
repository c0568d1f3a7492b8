import { afterEach, describe, expect, test } from 'vitest';
import { type TestBed, testBed } from './testing/index.ts';
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
      text: '\u001b[1;36mINFO: found existing resource cache\u001b[0m\n',
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
