import { Drained, Interruption } from '@seaplane/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';
import { CONTRACT_PROGRAMS, InMemoryHost, type Program, type TestBed, testBed } from './testing/index.ts';
import { resource, task } from './testing/mock-type.ts';

const get = { ...resource, version: { ref: 'abc' } };

/** Says that it runs, then waits to be stopped or released; counts. */
function waiting() {
  const release = Promise.withResolvers<void>();
  const counted = { runs: 0, stops: 0 };
  const program: Program = async ({ stopped, stdout, stderr }) => {
    counted.runs++;
    stderr('running\n');
    const stop = new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()));
    await Promise.race([stop, release.promise]);
    if (stopped.aborted) counted.stops++;
    stdout(JSON.stringify({ version: { ref: 'abc' } }));
    return 0;
  };
  return { program, counted, release: release.resolve };
}

const open: TestBed[] = [];
afterEach(async () => {
  for (const bed of open.splice(0)) await bed[Symbol.asyncDispose]();
});

function web(...of: Parameters<typeof testBed>): TestBed {
  const bed = testBed(...of);
  open.push(bed);
  return bed;
}

describe('after a restart', () => {
  test('[ORC-TASK10] a step stays on its worker, also when a new one would go elsewhere', async () => {
    const { program, counted, release } = waiting();
    const hosts = ['worker-1', 'worker-2'].map((name) => new InMemoryHost(name, { waiting: program }));
    const first = web({}, { hosts });
    const io = first.io('1');
    first
      .orchestrator()
      .task(io, { ...task, path: 'waiting' })
      .catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const second = web({}, { hosts, records: first.records, states: { 'worker-1': 'landing' } });
    const resumed = second.io('1', { written: { ...io.written } });
    const running = second.orchestrator().task(resumed, { ...task, path: 'waiting' });
    release();
    expect((await running).exitStatus).toBe(0);
    expect(counted.runs).toBe(1);
    expect(second.records.sandboxes.size).toBe(1);
  });

  test('[ORC-TASK10] a step whose image was being made stays on the worker that its event names', async () => {
    const programs = { ...CONTRACT_PROGRAMS, '/opt/resource/in': fetchImage };
    const hosts = ['worker-1', 'worker-2'].map((name) => new InMemoryHost(name, programs));
    const first = web({}, { hosts });
    const { result } = await first.orchestrator().get(first.io('1'), get);
    const request = {
      ...task,
      image: { kind: 'artifact', artifact: result?.artifact ?? { id: '' }, privileged: false },
    } as const;
    const store = await first.host.store();
    const { makeImage } = store;
    const asked = Promise.withResolvers<void>();
    store.makeImage = () => {
      asked.resolve();
      return new Promise(() => {}); // killed here
    };
    const io = first.io('2');
    first
      .orchestrator()
      .task(io, { ...request, path: 'false' })
      .catch(() => {});
    await asked.promise;
    store.makeImage = makeImage;
    const second = web({}, { hosts, records: first.records, states: { 'worker-1': 'landing' } });
    const resumed = second.io('2');
    expect((await second.orchestrator().task(resumed, { ...request, path: 'false' })).exitStatus).toBe(1);
    const selected = { kind: 'selected-worker', worker: 'worker-1' };
    expect(io.notices).toContainEqual(selected);
    expect(resumed.notices).toContainEqual(selected);
    const [row] = [...first.records.sandboxes.values()].filter(({ handle }) => handle.startsWith('task-'));
    expect(row).toMatchObject({ worker: 'worker-1', user: 'nobody' });
  });

  test('[ORC-TASK10] a step goes where the records say, though it had chosen another worker', async () => {
    const hosts = ['worker-1', 'worker-2'].map((name) => new InMemoryHost(name, CONTRACT_PROGRAMS));
    const bed = web({}, { hosts });
    const { recordSandbox } = bed.records;
    // Another web writes the sandbox down between the look and the write.
    bed.records.recordSandbox = async (row) => {
      await recordSandbox.call(bed.records, { ...row, worker: 'worker-2' });
      return recordSandbox.call(bed.records, row);
    };
    const io = bed.io('1');
    expect((await bed.orchestrator().task(io, { ...task, path: 'false' })).exitStatus).toBe(1);
    expect(hosts.map(({ specs }) => specs.size)).toEqual([0, 1]);
    expect(io.notices).toContainEqual({ kind: 'selected-worker', worker: 'worker-2' });
  });

  test('[ORC-TASK11] a sandbox that was made and has gone is not made again: the process would run twice', async () => {
    const { program, counted } = waiting();
    const first = web({ waiting: program });
    const io = first.io('1');
    const crashed = first.orchestrator().task(io, { ...task, path: 'waiting' });
    crashed.catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const [handle] = [...first.host.specs.keys()] as [string];
    await first.host.destroy(handle);
    await expect(crashed).rejects.toThrow('has gone');
    const second = web({}, { hosts: [first.host], records: first.records });
    await expect(second.orchestrator().task(second.io('1'), { ...task, path: 'waiting' })).rejects.toMatchObject({
      code: 'deleted',
      message: expect.stringContaining(`the sandbox ${handle} has gone`),
    });
    expect(counted.runs).toBe(1);
    expect(first.host.specs.size).toBe(0);
  });

  test('[ORC-TASK11] a running process is followed though its image and inputs do not exist any more', async () => {
    const { program, release } = waiting();
    const programs = { ...CONTRACT_PROGRAMS, waiting: program };
    const first = web({ ...programs, '/opt/resource/in': fetchImage });
    const { result } = await first.orchestrator().get(first.io('1'), get);
    const artifact = result?.artifact ?? { id: '' };
    const image = { kind: 'artifact' as const, artifact, privileged: false };
    const request = { ...task, image, path: 'waiting', inputs: [{ name: 'in', path: 'in', artifact }] };
    const io = first.io('2');
    first
      .orchestrator()
      .task(io, request)
      .catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const getHandle = [...first.host.specs.keys()].find((handle) => handle.startsWith('get-')) ?? '';
    await first.host.destroy(getHandle);
    await (await first.host.store()).deleteArtifact(artifact.id, AbortSignal.timeout(1000));
    const second = web({}, { hosts: [first.host], records: first.records });
    const resumed = second.orchestrator().task(second.io('2', { written: { ...io.written } }), request);
    release();
    expect((await resumed).exitStatus).toBe(0);
  });

  test('[ORC-TASK11] a sandbox that was made just before is used: its process starts now', async () => {
    const { program, counted, release } = waiting();
    const first = web({ waiting: program });
    const crash = new AbortController();
    const { markSandboxCreated } = first.records;
    first.records.markSandboxCreated = async (handle, user, pen) => {
      await markSandboxCreated.call(first.records, handle, user, pen);
      return new Promise(() => {}); // killed here
    };
    first
      .orchestrator()
      .task(first.io('1', { signal: crash.signal }), { ...task, path: 'waiting' })
      .catch(() => {});
    await expect.poll(() => [...first.records.sandboxes.values()].map(({ state }) => state)).toEqual(['created']);
    first.records.markSandboxCreated = markSandboxCreated;
    const second = web({}, { hosts: [first.host], records: first.records });
    const running = second.orchestrator().task(second.io('1'), { ...task, path: 'waiting' });
    release();
    expect((await running).exitStatus).toBe(0);
    expect(counted.runs).toBe(1);
  });
});

test('[ORC-TASK15] a web that lost its build while the sandbox was made lets go and starts nothing', async () => {
  const { program, counted } = waiting();
  const bed = web({ waiting: program });
  const asked = Promise.withResolvers<void>();
  const asleep = Promise.withResolvers<void>();
  const { create } = bed.host;
  bed.host.create = async (spec) => {
    asked.resolve();
    await asleep.promise;
    return create.call(bed.host, spec);
  };
  const running = bed.orchestrator().task(bed.io('1'), { ...task, path: 'waiting' });
  running.catch(() => {});
  await asked.promise;
  bed.records.pens.set(42, 2); // another web took the build
  asleep.resolve();
  await expect(running).rejects.toBeInstanceOf(Drained);
  expect(counted.runs).toBe(0);
  expect([...bed.records.sandboxes.values()].map(({ state }) => state)).toEqual(['creating']);
});

test('[ORC-TASK14] a sandbox of a step’s name that is not in the records belongs to another database and is replaced', async () => {
  const statuses = [0, 1];
  const host = new InMemoryHost('worker-1', { next: async () => statuses.shift() ?? 9 });
  const before = web({}, { hosts: [host] });
  expect((await before.orchestrator().task(before.io('1'), { ...task, path: 'next' })).exitStatus).toBe(0);
  const restored = web({}, { hosts: [host] });
  expect((await restored.orchestrator().task(restored.io('1'), { ...task, path: 'next' })).exitStatus).toBe(1);
});

describe('an interruption', () => {
  const abort = () => AbortSignal.abort(new Interruption('abort'));

  test('[ORC-TASK5] after a restart ends a process that runs from an image that a step made', async () => {
    const { program, counted } = waiting();
    const first = web({ waiting: program, '/opt/resource/in': fetchImage });
    const { result } = await first.orchestrator().get(first.io('1'), get);
    const image = { kind: 'artifact' as const, artifact: result?.artifact ?? { id: '' }, privileged: false };
    const io = first.io('2');
    first
      .orchestrator()
      .task(io, { ...task, image, path: 'waiting' })
      .catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const store = await first.host.store();
    store.makeImage = async (_id, _team, signal) => {
      signal.throwIfAborted(); // as one does that is really asked
      throw new Error('nobody needs an image for this');
    };
    const second = web({}, { hosts: [first.host], records: first.records });
    const resumed = second.io('2', { signal: abort(), written: { ...io.written } });
    expect(await second.orchestrator().task(resumed, { ...task, image, path: 'waiting' })).toEqual({ outputs: {} });
    expect(counted).toEqual({ runs: 1, stops: 1 });
  });

  test('[ORC-TASK17] after a restart ends a step also while its worker does not answer', async () => {
    const { program } = waiting();
    const first = web({ waiting: program });
    const io = first.io('1');
    first
      .orchestrator()
      .task(io, { ...task, path: 'waiting' })
      .catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const away = new InMemoryHost('worker-1', {});
    away.watch = async function* (signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const clock = { ...systemClock, sleep: async () => {} };
    const second = web({}, { hosts: [away], records: first.records, clock });
    const signal = abort();
    const resumed = second.orchestrator().task(second.io('1', { signal }), { ...task, path: 'waiting' });
    await expect(resumed).rejects.toBe(signal.reason);
  });

  test('[ORC-GET6] after a restart ends a get, whoever has its lock', async () => {
    const { program, counted } = waiting();
    const first = web({ '/opt/resource/in': program });
    const io = first.io('1');
    first
      .orchestrator()
      .get(io, get)
      .catch(() => {});
    await expect.poll(() => io.written.stderr).toBe('running\n');
    const second = web({}, { hosts: [first.host], records: first.records });
    const signal = abort();
    const resumed = second.io('1', { signal, written: { ...io.written } });
    await expect(second.orchestrator().get(resumed, get)).rejects.toBe(signal.reason);
    expect(counted).toEqual({ runs: 1, stops: 1 });
  });

  test('[ORC-TASK5] before it is known that the process was started ends it, too', async () => {
    const { program, counted } = waiting();
    const bed = web({ waiting: program });
    const asked = Promise.withResolvers<void>();
    const { connect } = bed.host;
    bed.host.connect = async (handle) => {
      const client = await connect.call(bed.host, handle);
      const run = client.run.bind(client);
      client.run = async (request, signal) => {
        await run(request, signal); // the sidecar has it, and has not answered yet
        asked.resolve();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
      return client;
    };
    const stop = new AbortController();
    const running = bed.orchestrator().task(bed.io('1', { signal: stop.signal }), { ...task, path: 'waiting' });
    await asked.promise;
    stop.abort(new Interruption('abort'));
    expect(await running).toEqual({ outputs: {} });
    expect(counted).toEqual({ runs: 1, stops: 1 });
  });
});

const fetchImage: Program = async ({ request, files, stdout }) => {
  files.write(`${request.args[0]}/metadata.json`, '{"env":[],"user":"nobody"}');
  stdout(JSON.stringify({ version: { ref: 'abc' } }));
  return 0;
};
