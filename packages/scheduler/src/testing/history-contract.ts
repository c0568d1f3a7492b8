import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { History, VouchingBuild } from '../inputs/history.ts';

/** A history that the suite fills. Versions are `{ v }`. */
export interface PastUnderTest extends AsyncDisposable {
  readonly history: History;
  newResource(): Promise<number>;
  newJob(): Promise<number>;
  /** Adds versions to a resource, oldest first. */
  addVersions(resourceId: number, versions: readonly string[]): Promise<void>;
  disable(resourceId: number, version: string): Promise<void>;
  /** A successful build, with the versions it vouches for by resource. */
  addBuild(jobId: number, outputs: Readonly<Record<number, readonly string[]>>, rerunOf?: number): Promise<number>;
  /** A build of the job used a version, and came from builds of other jobs. */
  addUse(jobId: number, used: { resourceId?: number; version?: string; fromBuild?: number }): Promise<void>;
  digest(version: string): Promise<string>;
}

/** The rules that every History keeps (SPEC.md, HIST). */
export function historyContract(name: string, open: () => Promise<PastUnderTest>): void {
  describe(`${name} as a History`, () => {
    let past: PastUnderTest;
    beforeAll(async () => {
      past = await open();
    });
    afterAll(() => past[Symbol.asyncDispose]());

    async function newResource(...versions: string[]): Promise<number> {
      const id = await past.newResource();
      await past.addVersions(id, versions);
      return id;
    }

    async function all(builds: AsyncIterable<VouchingBuild>): Promise<[id: number, hasNext?: boolean][]> {
      const found: [number, boolean?][] = [];
      for await (const { id, hasNext } of builds) found.push(hasNext === undefined ? [id] : [id, hasNext]);
      return found;
    }

    test('[HIST1] latest is the newest version that is not disabled', async () => {
      const [empty, id, other] = [await newResource(), await newResource('1', '2', '3'), await newResource('1', '3')];
      await past.disable(id, '3');
      expect(await past.history.latest(empty)).toBeUndefined();
      expect(await past.history.latest(id)).toBe(await past.digest('2'));
      expect(await past.history.latest(other)).toBe(await past.digest('3')); // disabled for one resource only
    });

    test('[HIST2] matching finds a version by its fields, a disabled one too', async () => {
      const id = await newResource('1', '2');
      await past.disable(id, '1');
      expect(await past.history.matching(id, { v: '1' })).toBe(await past.digest('1'));
      expect(await past.history.matching(id, {})).toBe(await past.digest('2'));
      expect(await past.history.matching(id, { v: '9' })).toBeUndefined();
      expect(await past.history.matching(id, { w: '1' })).toBeUndefined();
    });

    test('[HIST3] a version is usable when it is known and not disabled; contains asks only for known ones', async () => {
      const [id, other] = [await newResource('1', '2'), await newResource('3')];
      await past.disable(id, '2');
      const [one, two] = [await past.digest('1'), await past.digest('2')];
      expect(await past.history.isUsable(id, one)).toBe(true);
      expect(await past.history.isUsable(id, two)).toBe(false);
      expect(await past.history.isUsable(other, one)).toBe(false);
      expect(await past.history.contains(id, two, { v: '2' })).toBe(true);
      expect(await past.history.contains(id, two, { v: '1' })).toBe(false);
      expect(await past.history.contains(other, one, { v: '1' })).toBe(false);
    });

    test('[HIST4] nextUnused goes on from the newest version that the job used', async () => {
      const [id, job, other] = [await newResource('1', '2', '3', '4'), await past.newJob(), await past.newJob()];
      const next = async (jobId: number) => past.history.nextUnused(jobId, id);
      expect(await next(job)).toEqual({ digest: await past.digest('4'), hasNext: false });
      await past.addUse(job, { resourceId: id, version: '1' });
      expect(await next(job)).toEqual({ digest: await past.digest('2'), hasNext: true });
      expect(await next(other)).toEqual({ digest: await past.digest('4'), hasNext: false });
      await past.disable(id, '2');
      await past.disable(id, '3');
      expect(await next(job)).toEqual({ digest: await past.digest('4'), hasNext: false });
      await past.addUse(job, { resourceId: id, version: '4' });
      expect(await next(job)).toEqual({ digest: await past.digest('4'), hasNext: false });
      await past.disable(id, '4');
      expect(await next(job)).toEqual({ digest: await past.digest('1'), hasNext: false });
      expect(await past.history.nextUnused(job, await newResource())).toBeUndefined();
    });

    test('[HIST5] successful builds come newest first, a rerun beside its original, each with all that is asked for', async () => {
      const [a, b, job] = [await newResource('1', '2'), await newResource('1'), await past.newJob()];
      const first = await past.addBuild(job, { [a]: ['1'] });
      const second = await past.addBuild(job, { [a]: ['2', '1'], [b]: ['1'] });
      const rerun = await past.addBuild(job, { [a]: ['1'] }, first);
      await past.addBuild(await past.newJob(), { [a]: ['1'] });
      const having = async (resourceId: number, v: string) => ({ resourceId, digest: await past.digest(v) });
      expect(await all(past.history.successfulBuilds(job, []))).toEqual([[second], [rerun], [first]]);
      expect(await all(past.history.successfulBuilds(job, [await having(a, '2')]))).toEqual([[second]]);
      const both = [await having(a, '1'), await having(b, '1')];
      expect(await all(past.history.successfulBuilds(job, both))).toEqual([[second]]);
      const [newest] = await Array.fromAsync(past.history.successfulBuilds(job, []));
      expect(newest?.outputs).toEqual(
        new Map([
          [a, [await past.digest('2'), await past.digest('1')]],
          [b, [await past.digest('1')]],
        ]),
      );
    });

    test('[HIST6] unused builds come first, oldest first; then those up to the last that was used, newest first', async () => {
      const [id, upstream, job] = [await newResource('1', '2'), await past.newJob(), await past.newJob()];
      const builds: number[] = [];
      for (const v of ['1', '1', '2', '1']) builds.push(await past.addBuild(upstream, { [id]: [v] }));
      const [one = 0, two = 0, three = 0, four = 0] = builds;
      const unused = (having: { resourceId: number; digest: string }[] = []) =>
        all(past.history.unusedBuilds(upstream, job, having));
      expect(await unused()).toEqual([[four], [three], [two], [one]]);
      await past.addUse(job, { fromBuild: two });
      expect(await unused()).toEqual([[three, true], [four, false], [two], [one]]);
      const having = [{ resourceId: id, digest: await past.digest('1') }];
      expect(await unused(having)).toEqual([[four, false], [two], [one]]);
    });
  });
}
