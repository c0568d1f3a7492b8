import { afterEach, describe, expect, test } from 'vitest';
import { InMemoryHost, type Program, type TestBed, testBed } from './testing/index.ts';
import { resource, SCRIPTS, task } from './testing/mock-type.ts';
import type { TestWeb } from './testing/test-bed.ts';

const copy: Program = async ({ request, files }) => {
  files.write(`${request.dir}/out/ref`, `${files.read(`${request.dir}/in/ref`)} and on`);
  return 0;
};

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

const get = { ...resource, version: { ref: 'abc' } };
const output = [{ name: 'out', path: 'out' }];
const input = (artifact: { id: string }) => [{ name: 'in', path: 'in', artifact }];

function twoWorkers(web: TestWeb = {}): [InMemoryHost, InMemoryHost] {
  const hosts = ['north', 'south'].map((name) => new InMemoryHost(name, { ...SCRIPTS, copy }));
  bed = testBed({}, { hosts, ...web });
  return hosts as [InMemoryHost, InMemoryHost];
}

/** The step that the worker ran, by their plans. */
function stepsOn(host: InMemoryHost): string[] {
  return [...bed.records.sandboxes.values()]
    .filter(({ handle }) => host.specs.has(handle))
    .map(({ owner }) => owner?.planId ?? '');
}

describe('a build on two workers', () => {
  test('[ORC-ART6] passes artifacts to the other worker and back, as tags demand', async () => {
    const [north, south] = twoWorkers({ tags: { north: ['north'], south: ['south'] } });
    const steps = bed.orchestrator();
    const { result } = await steps.get(bed.io('1'), { ...get, tags: ['north'] });
    const io = bed.io('2');
    const there = { ...task, path: 'copy', tags: ['south'], outputs: output };
    const { outputs } = await steps.task(io, { ...there, inputs: input(result?.artifact ?? { id: '' }) });
    expect(io.notices).toContainEqual({
      kind: 'streaming',
      artifact: result?.artifact?.id,
      from: 'north',
      to: 'south',
    });
    const built = outputs['out'] ?? { id: '' };
    const put = await steps.put(bed.io('3'), { ...resource, tags: ['north'], inputs: { built } });
    expect(put.result?.version).toEqual({ ref: 'abc and on' });
    expect([stepsOn(north), stepsOn(south)]).toEqual([['1', '3'], ['2']]);
  });

  test('[ORC-ART6] runs a task from an image of the other worker', async () => {
    const [, south] = twoWorkers({ tags: { north: ['north'], south: ['south'] } });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...get, tags: ['north'] });
    const image = { kind: 'artifact', artifact: result?.artifact ?? { id: '' }, privileged: false } as const;
    const io = bed.io('2');
    const ran = await bed.orchestrator().task(io, { ...task, image, tags: ['south'], path: 'env' });
    expect(ran.exitStatus).toBe(0);
    expect(io.written.stdout).toContain('FROM_IMAGE=yes');
    expect(stepsOn(south)).toEqual(['2']);
  });

  test('[ORC-TASK21] stays on the worker that has its inputs', async () => {
    const [north, south] = twoWorkers({ tags: { south: ['big'] } });
    const { outputs } = await bed.orchestrator().task(bed.io('1'), {
      ...task,
      path: 'copy',
      tags: ['big'],
      outputs: output,
    });
    await bed[Symbol.asyncDispose]();
    bed = testBed({}, { hosts: [north, south], records: bed.records });
    const io = bed.io('2');
    await bed.orchestrator().task(io, { ...task, path: 'copy', inputs: input(outputs['out'] ?? { id: '' }) });
    await bed.orchestrator().task(bed.io('3'), { ...task, path: 'copy' });
    expect([stepsOn(north), stepsOn(south)]).toEqual([['3'], ['1', '2']]);
    expect(io.notices.filter(({ kind }) => kind === 'streaming')).toEqual([]);
  });
});

describe('a version that another worker has fetched', () => {
  const tags = { north: ['north'], south: ['south'] };
  /** What a get on `south` of another build prints, after one on `north`. */
  async function getBoth(web: TestWeb): Promise<string> {
    const states: Record<string, 'running' | 'stalled' | 'landed'> = { north: 'running' };
    twoWorkers({ tags, ...web, states });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...get, tags: ['north'] });
    await bed.artifacts.keep(result?.artifact ?? { id: '' }, 1, AbortSignal.timeout(10_000));
    Object.assign(states, web.states);
    const io = bed.io('2', { buildId: 43 });
    await bed.orchestrator(43).get(io, { ...get, tags: ['south'] });
    return io.written.stderr;
  }

  test('[ORC-GET11] is not fetched again', async () => {
    expect(await getBoth({})).toBe('');
  });

  test.each(['stalled', 'landed'] as const)('[ORC-GET11] is fetched again while that worker is %s', async (state) => {
    expect(await getBoth({ states: { north: state } })).toBe('fetching abc\n');
  });

  test('[ORC-GET11] is fetched again if that worker belongs to another team', async () => {
    const hosts = ['north', 'south'].map((name) => new InMemoryHost(name, SCRIPTS));
    bed = testBed({}, { hosts, tags });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...get, tags: ['north'] });
    await bed.artifacts.keep(result?.artifact ?? { id: '' }, 1, AbortSignal.timeout(10_000));
    await bed[Symbol.asyncDispose]();
    bed = testBed({}, { hosts, tags, teams: { north: 'others' }, records: bed.records });
    const io = bed.io('2', { buildId: 43 });
    await bed.orchestrator(43).get(io, { ...get, tags: ['south'] });
    expect(io.written.stderr).toBe('fetching abc\n');
  });
});
