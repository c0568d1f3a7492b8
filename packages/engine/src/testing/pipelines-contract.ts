import { describe, expect, test } from 'vitest';
import type { BuildInfo, Pipelines } from '../seams.ts';

export interface PipelinesUnderTest extends AsyncDisposable {
  readonly pipelines: Pipelines;
  /** A running build of a team that may set pipelines. */
  newBuild(): Promise<BuildInfo>;
}

const ONE = 'jobs: [{name: one, plan: []}]';
const TWO = 'jobs: [{name: two, plan: []}]';

/** The rules that all Pipelines keep (SPEC.md, ENG-PIPE). */
export function pipelinesContract(name: string, make: () => Promise<PipelinesUnderTest>): void {
  const never = new AbortController().signal;

  describe(`${name} as Pipelines`, () => {
    test('[ENG-PIPE1] the answer says whether the pipeline is new and whether it changed', async () => {
      await using under = await make();
      const set = async (configText: string) =>
        under.pipelines.setPipeline(
          await under.newBuild(),
          { planId: '1', name: 'child', configText, vars: [] },
          never,
        );
      expect(await set(ONE)).toMatchObject({ kind: 'set', created: true, changed: true });
      expect(await set(ONE)).toMatchObject({ kind: 'set', created: false, changed: false });
      expect(await set(TWO)).toMatchObject({ kind: 'set', created: false, changed: true });
    });

    test('[ENG-PIPE2] a step that asks again gets its first answer, and sets nothing', async () => {
      await using under = await make();
      const [first, second, third] = [await under.newBuild(), await under.newBuild(), await under.newBuild()];
      const set = (build: BuildInfo, configText: string) =>
        under.pipelines.setPipeline(build, { planId: '1', name: 'child', configText, vars: [] }, never);
      const answer = await set(first, ONE);
      await set(second, TWO);
      expect(await set(first, ONE)).toEqual(answer);
      expect(await set(third, TWO)).toMatchObject({ changed: false });
    });
  });
}
