import type { CheckPlan, MetadataField, Version } from '@seaplane/config';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuildInfo, ResolvedResource, Resources } from '../seams.ts';

export interface ResourcesUnderTest extends AsyncDisposable {
  readonly resources: Resources;
  /** A resource that was never checked, and a build of its pipeline. */
  newResource(): Promise<{ readonly name: string; readonly build: BuildInfo }>;
  /** A later build of the same pipeline. */
  laterBuild(build: BuildInfo): Promise<BuildInfo>;
  outputs(build: BuildInfo): Promise<readonly { readonly name: string; readonly version: Version }[]>;
}

/** The rules that all Resources keep (SPEC.md, ENG-RES). */
export function resourcesContract(name: string, open: () => Promise<ResourcesUnderTest>): void {
  describe(`${name} as Resources`, () => {
    let opened: ResourcesUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const image = { kind: 'base-type', type: 'mock', privileged: false } as const;
    const resolved: ResolvedResource = { type: 'mock', source: {}, image, tags: [], env: {} };
    const planOf = (resource: string, options: Partial<CheckPlan> = {}) => {
      return { name: resource, type: 'mock', source: {}, image: {}, resource, ...options };
    };
    const begin = (build: BuildInfo, plan: CheckPlan) =>
      opened.resources.beginCheck(build, plan, resolved, AbortSignal.timeout(60_000));

    /** A whole check: where it began and what is newest after it, or what it was skipped for. */
    async function check(build: BuildInfo, plan: CheckPlan, versions: readonly Version[]) {
      await using session = await begin(build, plan);
      if (session.skip) return { skipped: session.skip.latest };
      return { from: session.from, latest: (await session.recordVersions(versions)).latest };
    }

    test('[ENG-RES1] a check begins at the newest known version, and ends with the newest it found or knew', async () => {
      const { name, build } = await opened.newResource();
      expect(await check(build, planOf(name), [])).toEqual({ from: undefined, latest: undefined });
      const two = [{ v: '1' }, { v: '2' }];
      expect(await check(build, planOf(name), two)).toEqual({ from: undefined, latest: { v: '2' } });
      expect(await check(build, planOf(name), [])).toEqual({ from: { v: '2' }, latest: { v: '2' } });
      expect(await check(await opened.laterBuild(build), planOf(name), [])).toMatchObject({ from: { v: '2' } });
      const { name: other, build: otherBuild } = await opened.newResource();
      expect(await check(otherBuild, planOf(other), [])).toEqual({ from: undefined, latest: undefined });
    });

    test('[ENG-RES2] a periodic check within its interval is skipped, and knows the newest version', async () => {
      const { name, build } = await opened.newResource();
      const hourly = planOf(name, { interval: '1h' });
      expect(await check(build, hourly, [{ v: '1' }])).toMatchObject({ latest: { v: '1' } });
      expect(await check(build, hourly, [{ v: '2' }])).toEqual({ skipped: { v: '1' } });
      expect(await check(build, planOf(name), [{ v: '2' }])).toMatchObject({ latest: { v: '2' } });
    });

    test('[ENG-RES3] a check that failed changes no versions', async () => {
      const { name, build } = await opened.newResource();
      await check(build, planOf(name), [{ v: '1' }]);
      {
        await using session = await begin(build, planOf(name));
        await session.recordFailure();
      }
      expect(await check(build, planOf(name), [])).toEqual({ from: { v: '1' }, latest: { v: '1' } });
    });

    test('[ENG-RES6] checks of the same type and source have the same configuration, whatever the resource', async () => {
      const configOf = async (what: ResolvedResource) => {
        const { name, build } = await opened.newResource();
        await using session = await opened.resources.beginCheck(build, planOf(name), what, AbortSignal.timeout(60_000));
        return session.config;
      };
      const config = await configOf(resolved);
      expect(await configOf({ ...resolved, tags: ['tagged'] })).toBe(config);
      expect(await configOf({ ...resolved, source: { other: 'source' } })).not.toBe(config);
      expect(await configOf({ ...resolved, imageCacheId: 'an image' })).not.toBe(config);
    });

    test('[ENG-RES4] an output is saved once, however often it is reported, and is the newest version', async () => {
      const { name, build } = await opened.newResource();
      const metadata: MetadataField[] = [{ name: 'commit', value: 'abc' }];
      for (let time = 0; time < 2; time++)
        await opened.resources.saveOutput(build, { ...planOf(name), name: 'out' }, resolved, { v: '1' }, metadata);
      await opened.resources.saveOutput(build, { ...planOf(name), name: 'again' }, resolved, { v: '2' }, []);
      expect(await opened.outputs(build)).toEqual([
        { name: 'again', version: { v: '2' } },
        { name: 'out', version: { v: '1' } },
      ]);
      expect(await check(build, planOf(name), [])).toEqual({ from: { v: '2' }, latest: { v: '2' } });
    });

    test('[ENG-RES5] metadata of an input may be reported twice, and of a version that is not known', async () => {
      const { name, build } = await opened.newResource();
      for (const v of ['1', '1', '9'])
        await opened.resources.saveInputMetadata(build, name, { v }, [{ name: 'commit', value: v }]);
      expect(await check(build, planOf(name), [])).toEqual({ from: undefined, latest: undefined });
    });
  });
}
