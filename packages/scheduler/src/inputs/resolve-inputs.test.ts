import { describe, expect, test } from 'vitest';
import { InMemoryHistory } from '../testing/in-memory-history.ts';
import type { ResolvableInput, WantedVersion } from './history.ts';
import { groupByPassed, resolveInputs } from './resolve-inputs.ts';

const JOB = 100;
const [A, B] = [1, 2];
const [UNIT, LINT] = [10, 11];

function input(
  name: string,
  resourceId: number,
  passed: number[] = [],
  wanted: WantedVersion = { kind: 'latest' },
): ResolvableInput {
  return { name, resourceId, trigger: true, passed, wanted };
}

async function resolve(history: InMemoryHistory, ...inputs: ResolvableInput[]) {
  const { inputs: found, hasNext } = await resolveInputs(history, JOB, inputs);
  const shown = [...found].map(([name, got]) => [name, 'error' in got ? got.error : got.digest]);
  return { ...Object.fromEntries(shown), hasNext } as Record<string, unknown>;
}

function history(versions: Record<number, string[]>): InMemoryHistory {
  return Object.assign(new InMemoryHistory(), { versions });
}

describe('inputs without passed', () => {
  test('[IN1] latest is the newest that is not disabled', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    past.disable(A, 'v3');
    expect(await resolve(past, input('a', A))).toEqual({ a: 'v2', hasNext: false });
    expect(await resolve(past, input('b', B))).toMatchObject({ b: 'latest version of resource not found' });
  });

  test('[IN2] a pin wants a known version that contains it', async () => {
    const past = history({ [A]: ['v1', 'v2'] });
    const pinned = (v: string) => input('a', A, [], { kind: 'pinned', fields: { v } });
    expect(await resolve(past, pinned('v1'))).toMatchObject({ a: 'v1' });
    expect(await resolve(past, pinned('v9'))).toMatchObject({ a: 'pinned version v:v9 not found' });
    const two = input('a', A, [], { kind: 'pinned', fields: { v: 'v1', w: 'x' } });
    expect(await resolve(past, two)).toMatchObject({ a: 'pinned version v:v1 w:x not found' });
  });

  test('[IN3] every walks from the last used one, and says when more wait', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3', 'v4'] });
    const every = input('a', A, [], { kind: 'every' });
    expect(await resolve(past, every)).toEqual({ a: 'v4', hasNext: false });
    expect(await resolve(past, input('b', B, [], { kind: 'every' }))).toMatchObject({
      b: 'version of resource not found',
    });
    past.uses.push({ job: JOB, versions: { [A]: 'v1' }, from: [] });
    expect(await resolve(past, every)).toEqual({ a: 'v2', hasNext: true });
    past.disable(A, 'v2', 'v3');
    expect(await resolve(past, every)).toEqual({ a: 'v4', hasNext: false });
    past.uses.push({ job: JOB, versions: { [A]: 'v4' }, from: [] });
    expect(await resolve(past, every)).toEqual({ a: 'v4', hasNext: false });
  });
});

describe('inputs with passed', () => {
  test('[IN4] takes the newest successful build; none is an error', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    expect(await resolve(past, input('a', A, [UNIT]))).toMatchObject({
      a: 'no satisfiable builds from passed jobs found for set of inputs',
    });
    past.builds.push({ id: 1, job: UNIT, outputs: { [A]: ['v1'] } }, { id: 2, job: UNIT, outputs: { [A]: ['v2'] } });
    expect(await resolve(past, input('a', A, [UNIT]))).toMatchObject({ a: 'v2' });
  });

  test('[IN5] two inputs of one passed job come from one build of it', async () => {
    const past = history({ [A]: ['a1', 'a2'], [B]: ['b1', 'b2'] });
    past.builds.push(
      { id: 1, job: UNIT, outputs: { [A]: ['a1'], [B]: ['b2'] } },
      { id: 2, job: UNIT, outputs: { [A]: ['a2'], [B]: ['b1'] } },
    );
    expect(await resolve(past, input('a', A, [UNIT]), input('b', B, [UNIT]))).toMatchObject({ a: 'a2', b: 'b1' });
    past.disable(B, 'b1');
    expect(await resolve(past, input('a', A, [UNIT]), input('b', B, [UNIT]))).toMatchObject({ a: 'a1', b: 'b2' });
  });

  test('[IN6] a version must have passed every job that is named', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    past.builds.push(
      { id: 1, job: UNIT, outputs: { [A]: ['v1'] } },
      { id: 2, job: LINT, outputs: { [A]: ['v1'] } },
      { id: 3, job: UNIT, outputs: { [A]: ['v2'] } },
      { id: 4, job: UNIT, outputs: { [A]: ['v3'] } },
      { id: 5, job: LINT, outputs: { [A]: ['v2'] } },
    );
    expect(await resolve(past, input('a', A, [UNIT, LINT]))).toMatchObject({ a: 'v2' });
  });

  test('[IN7] inputs joined through a third backtrack until all agree', async () => {
    const past = history({ [A]: ['a1', 'a2'], [B]: ['b1', 'b2'] });
    past.builds.push(
      { id: 1, job: UNIT, outputs: { [A]: ['a1'] } },
      { id: 2, job: LINT, outputs: { [A]: ['a1'], [B]: ['b1'] } },
      { id: 3, job: UNIT, outputs: { [A]: ['a2'] } },
      { id: 4, job: LINT, outputs: { [B]: ['b2'] } },
    );
    expect(await resolve(past, input('a', A, [UNIT, LINT]), input('b', B, [LINT]))).toMatchObject({ a: 'a1', b: 'b1' });
  });

  test('[IN5] an input whose resource a build does not have comes from another build of the job', async () => {
    const past = history({ [A]: ['a1', 'a2'], [B]: ['b1', 'b2'] });
    past.builds.push(
      { id: 1, job: UNIT, outputs: { [A]: ['a1'], [B]: ['b1'] } },
      { id: 2, job: UNIT, outputs: { [A]: ['a2'] } },
      { id: 3, job: UNIT, outputs: { [B]: ['b2'] } },
    );
    const { inputs } = await resolveInputs(past, JOB, [input('a', A, [UNIT]), input('b', B, [UNIT])]);
    expect(inputs.get('a')).toEqual({ digest: 'a2', passedBuilds: [2] });
    expect(inputs.get('b')).toEqual({ digest: 'b2', passedBuilds: [3] });
  });

  test('[IN8] a version that a build put wins over one that it got', async () => {
    const past = history({ [A]: ['got', 'put'] });
    past.builds.push({ id: 1, job: UNIT, outputs: { [A]: ['put', 'got'] } });
    expect(await resolve(past, input('a', A, [UNIT]))).toMatchObject({ a: 'put' });
    past.disable(A, 'put');
    expect(await resolve(past, input('a', A, [UNIT]))).toMatchObject({ a: 'got' });
  });

  test.each([
    ['before', [UNIT, LINT]],
    ['after', [LINT, UNIT]],
  ])(
    '[IN8] it does not vouch for the one it got, if the job stands %s the other',
    async (_, [first = 0, second = 0]) => {
      const past = history({ [A]: ['got', 'put'] });
      past.builds.push(
        { id: 1, job: first, outputs: { [A]: ['put', 'got'] } },
        { id: 2, job: second, outputs: { [A]: ['got'] } },
      );
      expect(await resolve(past, input('a', A, [UNIT, LINT]))).toMatchObject({
        a: 'no satisfiable builds from passed jobs found for set of inputs',
      });
    },
  );

  test('[IN9] a pin is a constraint on what a passed build offers', async () => {
    const past = history({ [A]: ['v1', 'v2'] });
    past.builds.push({ id: 1, job: UNIT, outputs: { [A]: ['v1'] } }, { id: 2, job: UNIT, outputs: { [A]: ['v2'] } });
    const pinned = input('a', A, [UNIT], { kind: 'pinned', fields: { v: 'v1' } });
    expect(await resolve(past, pinned)).toMatchObject({ a: 'v1' });
    const unknown = input('a', A, [UNIT], { kind: 'pinned', fields: { v: 'v9' } });
    expect(await resolve(past, unknown)).toMatchObject({ a: 'pinned version v:v9 not found' });
  });

  test('[IN10] a rerun of the last used build is not the next one', async () => {
    const past = history({ [A]: ['v1', 'v2'] });
    past.builds.push({ id: 1, job: UNIT, outputs: { [A]: ['v1'] } });
    past.uses.push({ job: JOB, versions: { [A]: 'v1' }, from: [1] });
    past.builds.push({ id: 2, job: UNIT, rerunOf: 1, outputs: { [A]: ['v1'] } });
    past.builds.push({ id: 3, job: UNIT, outputs: { [A]: ['v2'] } });
    expect(await resolve(past, input('a', A, [UNIT], { kind: 'every' }))).toMatchObject({ a: 'v2' });
  });

  test('[IN10] a job that is new in passed does not make every skip versions', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    for (const [index, digest] of ['v1', 'v2', 'v3'].entries()) {
      past.builds.push({ id: 2 * index + 1, job: UNIT, outputs: { [A]: [digest] } });
      past.builds.push({ id: 2 * index + 2, job: LINT, outputs: { [A]: [digest] } });
    }
    past.uses.push({ job: JOB, versions: { [A]: 'v1' }, from: [2] });
    expect(await resolve(past, input('a', A, [UNIT, LINT], { kind: 'every' }))).toMatchObject({ a: 'v2' });
  });

  test('[IN10] every goes on after the newest version, also if an older one was used from a newer build', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    for (const [index, digest] of ['v1', 'v2', 'v3', 'v1'].entries())
      past.builds.push({ id: index + 1, job: UNIT, outputs: { [A]: [digest] } });
    past.uses.push({ job: JOB, versions: { [A]: 'v2' }, from: [2] }, { job: JOB, versions: { [A]: 'v1' }, from: [4] });
    expect(await resolve(past, input('a', A, [UNIT], { kind: 'every' }))).toEqual({ a: 'v3', hasNext: true });
  });

  test('[IN10] every with passed goes through upstream builds in order', async () => {
    const past = history({ [A]: ['v1', 'v2', 'v3'] });
    for (const [index, digest] of ['v1', 'v2', 'v3'].entries())
      past.builds.push({ id: index + 1, job: UNIT, outputs: { [A]: [digest] } });
    const every = input('a', A, [UNIT], { kind: 'every' });
    expect(await resolve(past, every)).toEqual({ a: 'v3', hasNext: false });
    past.uses.push({ job: JOB, versions: { [A]: 'v1' }, from: [1] });
    expect(await resolve(past, every)).toEqual({ a: 'v2', hasNext: true });
    past.uses.push({ job: JOB, versions: { [A]: 'v3' }, from: [3] });
    expect(await resolve(past, every)).toEqual({ a: 'v3', hasNext: false });
  });

  test('[IN11] the builds that vouch are returned, so that the next build can continue from them', async () => {
    const past = history({ [A]: ['v1'] });
    past.builds.push({ id: 7, job: UNIT, outputs: { [A]: ['v1'] } }, { id: 8, job: LINT, outputs: { [A]: ['v1'] } });
    const { inputs } = await resolveInputs(past, JOB, [input('a', A, [UNIT, LINT])]);
    expect(inputs.get('a')).toEqual({ digest: 'v1', passedBuilds: [7, 8] });
  });
});

test('[IN12] groups are joined by shared passed jobs, also through a third', () => {
  const groups = groupByPassed([input('a', A, [1]), input('b', A, [2]), input('c', A, [3]), input('d', A, [1, 2])]);
  expect(groups.map((group) => group.map(({ name }) => name))).toEqual([['c'], ['a', 'b', 'd']]);
});
