import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuildFilter, History, VouchingBuild } from '../inputs/history.ts';

const ALL: BuildFilter = { having: [], agreeing: [] };

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
  /** A build of the job used a version, and came from a build of another job. */
  addUse(jobId: number, used: { resourceId: number; version: string; fromBuild?: number }): Promise<void>;
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

    async function all(pages: AsyncIterable<readonly VouchingBuild[]>): Promise<[id: number, hasNext?: boolean][]> {
      const builds = (await Array.fromAsync(pages)).flat();
      return builds.map(({ id, hasNext }) => (hasNext === undefined ? [id] : [id, hasNext]));
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
      const many = await newResource(...Array.from({ length: 120 }, (_, n) => `${n}`));
      expect(await past.history.matching(many, { v: '3' })).toBe(await past.digest('3'));
      expect(await past.history.matching(many, {})).toBe(await past.digest('119'));
    });

    test('[HIST3] a version is usable when the resource knows it and it is not disabled', async () => {
      const [id, other] = [await newResource('1', '2'), await newResource('3')];
      await past.disable(id, '2');
      const [one, two, three] = [await past.digest('1'), await past.digest('2'), await past.digest('3')];
      expect(await past.history.usable(id, [one, two, three])).toEqual(new Set([one]));
      expect(await past.history.usable(other, [one, two, three])).toEqual(new Set([three]));
      expect(await past.history.usable(id, [])).toEqual(new Set());
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

    test('[HIST5] successful builds come newest first, a rerun beside its original, those alone that fit', async () => {
      const [a, b, job] = [await newResource('1', '2'), await newResource('1'), await past.newJob()];
      const first = await past.addBuild(job, { [a]: ['1'] });
      const second = await past.addBuild(job, { [a]: ['2', '1'], [b]: ['1'] });
      const rerun = await past.addBuild(job, { [a]: ['1'] }, first);
      await past.addBuild(await past.newJob(), { [a]: ['1'] });
      const version = async (resourceId: number, v: string) => ({ resourceId, digest: await past.digest(v) });
      const builds = (filter: Partial<BuildFilter> = {}) => past.history.successfulBuilds(job, { ...ALL, ...filter });
      expect(await all(builds())).toEqual([[second], [rerun], [first]]);
      expect(await all(builds({ having: [await version(a, '2')] }))).toEqual([[second]]);
      const both = [await version(a, '1'), await version(b, '1')];
      expect(await all(builds({ having: both }))).toEqual([[second]]);
      // The first version decides; a build without the resource agrees with any.
      expect(await all(builds({ agreeing: [await version(a, '1')] }))).toEqual([[rerun], [first]]);
      expect(await all(builds({ agreeing: [await version(b, '1')] }))).toEqual([[second], [rerun], [first]]);
      expect(await all(builds({ agreeing: [await version(b, '2')] }))).toEqual([[rerun], [first]]);
      const [newest] = (await Array.fromAsync(builds())).flat();
      expect(newest?.outputs).toEqual(
        new Map([
          [a, [await past.digest('2'), await past.digest('1')]],
          [b, [await past.digest('1')]],
        ]),
      );
      expect(await past.history.haveSucceeded([job])).toBe(true);
      expect(await past.history.haveSucceeded([job, await past.newJob()])).toBe(false);
    });

    test('[HIST5] all builds are found, however many pages they fill', async () => {
      const [a, job, other] = [await newResource('1', '2'), await past.newJob(), await past.newJob()];
      const rare = await past.addBuild(job, { [a]: ['2'] });
      const builds: number[] = [];
      for (let n = 0; n < 90; n++) builds.push(await past.addBuild(job, { [a]: ['1'] }));
      await past.addBuild(other, { [a]: ['2'] });
      const found = await all(past.history.successfulBuilds(job, ALL));
      expect(found).toEqual([...builds.toReversed(), rare].map((id) => [id]));
      const after = { id: rare, rerunOf: null };
      const unused = await all(past.history.unusedBuilds(job, after, ALL));
      expect(unused).toEqual([...builds.map((id) => [id, id !== builds.at(-1)]), [rare]]);
      // A build that cannot help may be left out; the one that can is found.
      const vouchedBy = { resourceId: a, jobs: [other] };
      const helpful = await all(past.history.successfulBuilds(job, { ...ALL, vouchedBy }));
      expect(helpful.at(-1)).toEqual([rare]);
      for (let n = 0; n < 110; n++) await past.addBuild(other, { [a]: [`other ${n}`] });
      expect((await all(past.history.successfulBuilds(job, { ...ALL, vouchedBy }))).at(-1)).toEqual([rare]);
    });

    test('[HIST6] unused builds come first, oldest first; then those up to the last that was used, newest first', async () => {
      const [id, upstream] = [await newResource('1', '2'), await past.newJob()];
      const builds: number[] = [];
      for (const v of ['1', '1', '2', '1']) builds.push(await past.addBuild(upstream, { [id]: [v] }));
      const [one = 0, two = 0, three = 0, four = 0] = builds;
      const after = (last: number, rerunOf: number | null, filter: BuildFilter = ALL) =>
        all(past.history.unusedBuilds(upstream, { id: last, rerunOf }, filter));
      expect(await after(two, null)).toEqual([[three, true], [four, false], [two], [one]]);
      const having = [{ resourceId: id, digest: await past.digest('1') }];
      expect(await after(two, null, { ...ALL, having })).toEqual([[four, false], [two], [one]]);
      const [rerun, again] = [
        await past.addBuild(upstream, { [id]: ['1'] }, two),
        await past.addBuild(upstream, { [id]: ['1'] }, two),
      ];
      expect(await after(two, null)).toEqual([[three, true], [four, false], [two], [one]]);
      expect(await after(rerun, two)).toEqual([[again, true], [three, true], [four, false], [rerun], [two], [one]]);
    });

    test('[HIST7] the last used builds are those behind the newest version that the job has used', async () => {
      const [id, upstream, other, job] = [
        await newResource('1', '2', '3'),
        await past.newJob(),
        await past.newJob(),
        await past.newJob(),
      ];
      const last = () => past.history.lastUsedBuilds(job, id);
      expect(await last()).toBeUndefined();
      const builds: number[] = [];
      for (const v of ['1', '2', '2', '1']) builds.push(await past.addBuild(upstream, { [id]: [v] }));
      const [one = 0, two = 0, three = 0, four = 0] = builds;
      const vouched = await past.addBuild(other, { [id]: ['2'] });
      await past.addUse(job, { resourceId: id, version: '1', fromBuild: one });
      expect(await last()).toEqual(new Map([[upstream, { id: one, rerunOf: null }]]));
      await past.addUse(job, { resourceId: id, version: '2', fromBuild: three });
      await past.addUse(job, { resourceId: id, version: '2', fromBuild: two });
      // An older version that was tested again, and used while it was pinned, is not where the job goes on.
      await past.addUse(job, { resourceId: id, version: '1', fromBuild: four });
      expect(await last()).toEqual(new Map([[upstream, { id: three, rerunOf: null }]]));
      await past.addUse(job, { resourceId: id, version: '2', fromBuild: vouched });
      const rerun = await past.addBuild(upstream, { [id]: ['2'] }, three);
      await past.addUse(job, { resourceId: id, version: '2', fromBuild: rerun });
      expect(await last()).toEqual(
        new Map([
          [upstream, { id: rerun, rerunOf: three }],
          [other, { id: vouched, rerunOf: null }],
        ]),
      );
      await past.addUse(job, { resourceId: id, version: '3' });
      expect(await last()).toEqual(new Map());
    });
  });
}
