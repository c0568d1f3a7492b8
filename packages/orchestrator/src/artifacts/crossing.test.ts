import { type BaggageclaimClient, BaggageclaimError } from '@seaplane/baggageclaim';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../system-clock.ts';
import { InMemoryHost, type TestBed, testBed } from '../testing/index.ts';
import { BUILD, type TestWeb } from '../testing/test-bed.ts';

const soon = () => AbortSignal.timeout(10_000);
const PATH = '/tmp/build/out';

/** Pauses end at once; a long silence never does. */
const quick = {
  ...systemClock,
  sleep: (ms: number, signal: AbortSignal) => (ms < 60_000 ? Promise.resolve() : systemClock.sleep(ms, signal)),
};

const beds: TestBed[] = [];
afterEach(async () => {
  for (const bed of beds.splice(0)) await bed[Symbol.asyncDispose]();
});

function twoWorkers(web: TestWeb = {}): TestBed & { readonly hosts: readonly [InMemoryHost, InMemoryHost] } {
  const hosts = (web.hosts ?? [new InMemoryHost('north'), new InMemoryHost('south')]) as [InMemoryHost, InMemoryHost];
  const bed = testBed({}, { clock: quick, ...web, hosts });
  beds.push(bed);
  return { ...bed, hosts };
}

/** A sandbox of `north` with a file in a directory, which is an artifact. */
async function makeArtifact(bed: TestBed, handle = 'task-1') {
  const [worker] = bed.workers as [TestBed['workers'][number]];
  const labels = { type: 'task' as const, team: 'main', step: 'x' };
  const owner = { buildId: BUILD.id, planId: '1' };
  await bed.records.recordSandbox({ handle, worker: worker.name, labels, owner, workingDirectory: '/', user: '' });
  const spec = { handle, image: { reference: 'x' }, labels, privileged: false, hermetic: false, mounts: [] };
  await bed.host.create(spec);
  await worker.watch.untilReady(handle, soon(), () => {});
  bed.host.sidecar(handle).files.write(`${PATH}/file`, 'of the north');
  bed.host.sidecar(handle).files.write(`${PATH}/metadata.json`, '{"user":"nobody"}');
  return bed.artifacts.record(worker, handle, PATH);
}

async function fileOf(store: BaggageclaimClient, id: string): Promise<string> {
  return Buffer.from((await store.readArtifactFile(id, 'file', 1024, soon())) ?? []).toString();
}

/** A clock on which a long wait ends when its entry of `silences` is called. */
function silentClock() {
  const silences: (() => void)[] = [];
  const sleep = (ms: number) =>
    ms < 60_000 ? Promise.resolve() : new Promise<void>((resolve) => void silences.push(resolve));
  return { silences, clock: { ...quick, sleep } };
}

describe('an artifact of another worker', () => {
  test('[ORC-ART6] is read from the store of the reader’s worker, and stays there for the next reader', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const south = await bed.hosts[1].store();
    const reader = bed.reader({ on: 'south' });
    expect(await bed.artifacts.sources(artifact, reader)).toEqual([south.artifactSource(artifact.id)]);
    expect(reader.notices).toEqual([{ kind: 'streaming', artifact: artifact.id, from: 'north', to: 'south' }]);
    expect(await fileOf(south, artifact.id)).toBe('of the north');
    const next = bed.reader({ on: 'south' });
    await bed.artifacts.sources(artifact, next);
    expect(next.notices).toEqual([]);
    expect(await bed.records.findArtifact(artifact.id)).toMatchObject({ worker: 'north', copies: ['south'] });
  });

  test('[ORC-ART6] becomes an image there', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    expect(await bed.artifacts.makeImage(artifact, bed.reader({ on: 'south' }))).toMatchObject({ user: 'nobody' });
    expect(await (await bed.hosts[1].store()).hasArtifact(artifact.id, soon())).toBe(true);
  });

  test('[ORC-ART6] is what its own store has, not what somebody made of it in the sandbox later', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    await bed.artifacts.keep(artifact, 1, soon());
    bed.host.sidecar('task-1').files.write(`${PATH}/file`, 'changed later');
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    expect(await fileOf(await bed.hosts[1].store(), artifact.id)).toBe('of the north');
  });

  test('[ORC-ART10] does not fit into a full store, and the error names that worker', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const south = await bed.hosts[1].store();
    south.putArtifact = () => Promise.reject(new BaggageclaimError('full', 'the words of the store'));
    await expect(bed.artifacts.sources(artifact, bed.reader({ on: 'south' }))).rejects.toMatchObject({
      code: 'store-full',
      message: expect.stringMatching(/^the store of the worker south is full: the words/),
    });
  });

  test('[ORC-ART15] is brought again when the store there has lost it', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const south = await bed.hosts[1].store();
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    await south.deleteArtifact(artifact.id, soon());
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    expect(await fileOf(south, artifact.id)).toBe('of the north');
  });

  test('[ORC-ART15] is read from its copy while its own worker is away', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    bed.host.store = () => Promise.reject(new Error('the north is away'));
    expect(await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }))).toHaveLength(1);
  });
});

describe('a stream between workers', () => {
  /** Replaces what the store of `south` does with a stream; returns the real thing. */
  async function onPut(bed: ReturnType<typeof twoWorkers>, put: BaggageclaimClient['putArtifact']) {
    const south = await bed.hosts[1].store();
    const real = south.putArtifact.bind(south);
    south.putArtifact = put;
    return { south, real };
  }

  /** Waits for the first bytes, then for the signal. */
  async function hang(tar: ReadableStream<Uint8Array>, signal: AbortSignal, began: () => void): Promise<never> {
    await tar.getReader().read();
    began();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  test('[ORC-ART16] serves all steps that want the artifact at the same time', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const go = Promise.withResolvers<void>();
    let streams = 0;
    const { real } = await onPut(bed, async (...args) => {
      streams++;
      await go.promise;
      await real(...args);
    });
    const readers = [bed.reader({ on: 'south' }), bed.reader({ on: 'south' })];
    const read = Promise.all(readers.map((reader) => bed.artifacts.sources(artifact, reader)));
    await expect.poll(() => readers.flatMap(({ notices }) => notices)).toHaveLength(2);
    go.resolve();
    await read;
    expect(streams).toBe(1);
    expect(readers.flatMap(({ notices }) => notices.map(({ kind }) => kind))).toEqual([
      'streaming',
      'waiting-for-stream',
    ]);
  });

  test('[ORC-ART16] ends with the last step that waits for it, and can be begun again', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const began = Promise.withResolvers<AbortSignal>();
    const { south, real } = await onPut(bed, (_id, _team, tar, signal) =>
      hang(tar, signal, () => began.resolve(signal)),
    );
    const leaving = [new AbortController(), new AbortController()];
    const read = Promise.allSettled(
      leaving.map(({ signal }) => bed.artifacts.sources(artifact, bed.reader({ on: 'south', signal }))),
    );
    const signal = await began.promise;
    leaving[0]?.abort(new Error('aborted'));
    expect(signal.aborted).toBe(false);
    leaving[1]?.abort(new Error('aborted'));
    expect(await read).toMatchObject([{ reason: { message: 'aborted' } }, { reason: { message: 'aborted' } }]);
    expect(signal.aborted).toBe(true);
    south.putArtifact = real;
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    expect(await fileOf(south, artifact.id)).toBe('of the north');
  });

  test('[ORC-ART14] begins anew when it is cut, at either end', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    const north = await bed.host.store();
    const readArtifact = north.readArtifact.bind(north);
    const cuts = ['the source', 'the receiver'];
    north.readArtifact = async (...args) => {
      if (cuts[0] !== 'the source') return readArtifact(...args);
      cuts.shift();
      return new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        pull: (controller) => controller.error(new BaggageclaimError('unreachable', 'cut')),
      });
    };
    const { south, real } = await onPut(bed, async (id, team, tar, signal) => {
      if (cuts[0] !== 'the receiver') return real(id, team, tar, signal);
      cuts.shift();
      await tar.getReader().read();
      throw new BaggageclaimError('unreachable', 'cut');
    });
    await bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    expect(cuts).toEqual([]);
    expect(await fileOf(south, artifact.id)).toBe('of the north');
  });

  test('[ORC-ART14] is an error that names both workers after the fourth cut', async () => {
    const bed = twoWorkers();
    const artifact = await makeArtifact(bed);
    let streams = 0;
    const { south } = await onPut(bed, async () => {
      streams++;
      throw new BaggageclaimError('unreachable', 'connection reset');
    });
    await expect(bed.artifacts.sources(artifact, bed.reader({ on: 'south' }))).rejects.toMatchObject({
      code: 'artifact-not-streamed',
      message: expect.stringMatching(/from the worker north to the worker south: connection reset$/),
    });
    expect(streams).toBe(4);
    expect(await south.hasArtifact(artifact.id, soon())).toBe(false);
  });

  test('[ORC-ART14] begins anew when no byte moves', async () => {
    const { clock, silences } = silentClock();
    const bed = twoWorkers({ clock });
    const artifact = await makeArtifact(bed);
    const began = Promise.withResolvers<void>();
    let streams = 0;
    const { south, real } = await onPut(bed, (id, team, tar, signal) =>
      ++streams === 1 ? hang(tar, signal, began.resolve) : real(id, team, tar, signal),
    );
    const read = bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    await began.promise;
    // The first bytes have moved before the first silence is over, and nothing after that.
    for (let round = 0; round < 8 && streams < 2; round++) {
      for (const end of silences.splice(0)) end();
      await new Promise(setImmediate);
    }
    await read;
    expect(streams).toBe(2);
    expect(await fileOf(south, artifact.id)).toBe('of the north');
  });

  test('[ORC-ART14] waits until the artifact is in its own store, however long that takes', async () => {
    const { clock, silences } = silentClock();
    const bed = twoWorkers({ clock });
    const artifact = await makeArtifact(bed);
    const north = await bed.host.store();
    const pull = north.pullArtifact.bind(north);
    const [began, go] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
    north.pullArtifact = async (...args) => {
      began.resolve(args[3]);
      await go.promise;
      await pull(...args);
    };
    const read = bed.artifacts.sources(artifact, bed.reader({ on: 'south' }));
    const signal = await began.promise;
    for (let round = 0; round < 4; round++) {
      for (const end of silences.splice(0)) end();
      await new Promise(setImmediate);
    }
    expect(signal.aborted).toBe(false);
    go.resolve();
    expect(await read).toHaveLength(1);
  });

  test('[ORC-ART14] is not waited for without end if nothing was ever heard of the other worker', async () => {
    const silent = { ...quick, sleep: () => Promise.resolve() };
    const first = twoWorkers();
    const artifact = await makeArtifact(first);
    const [north, south] = first.hosts;
    north.watch = async function* (signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    };
    const second = twoWorkers({ hosts: [north, south], records: first.records, clock: silent });
    await expect(second.artifacts.sources(artifact, second.reader({ on: 'south' }))).rejects.toMatchObject({
      code: 'artifact-not-streamed',
      message: expect.stringMatching(/from the worker north to the worker south: the worker north does not answer$/),
    });
    expect(await second.artifacts.isThere(artifact, second.reader({ on: 'south' }))).toBe(false);
  });

  test('[ORC-ART14] of a web that was killed is begun anew by the next', async () => {
    const first = twoWorkers();
    const artifact = await makeArtifact(first);
    const began = Promise.withResolvers<void>();
    const never = new AbortController().signal;
    const { south, real } = await onPut(first, (_id, _team, tar) => hang(tar, never, began.resolve));
    first.artifacts.sources(artifact, first.reader({ on: 'south', signal: never })).catch(() => {});
    await began.promise;
    south.putArtifact = real;
    const second = twoWorkers({ hosts: first.hosts, records: first.records });
    const reader = second.reader({ on: 'south' });
    await second.artifacts.sources(artifact, reader);
    expect(reader.notices).toMatchObject([{ kind: 'streaming' }]);
    expect(await fileOf(south, artifact.id)).toBe('of the north');
  });
});
