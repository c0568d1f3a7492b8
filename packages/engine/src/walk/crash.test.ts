import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Crash } from '../testing/memory-journal.ts';
import { type RandomBuild, randomBuild } from '../testing/random-plan.ts';
import { type History, historyOf } from '../testing/same-build.ts';
import { type TestBuild, testBuild } from '../testing/walk.ts';
import { Drained } from './interruption.ts';

/** For a machine that has much else to do. */
const LONG = 60_000;

function fresh({ plan, scripts }: RandomBuild): TestBuild {
  const build = testBuild(plan, scripts);
  build.world.variables['secret'] = 'hunter2';
  return build;
}

async function walkOnce(random: RandomBuild): Promise<{ expected: History; operations: number }> {
  const build = fresh(random);
  const { outcome, journal } = build.walk();
  return { expected: historyOf(build, (await outcome).status), operations: journal.operations() };
}

/** Walks with a crash in each walk but the last. */
async function walkWithCrashes(random: RandomBuild, crashes: readonly Crash[]): Promise<History> {
  const build = fresh(random);
  for (const crash of crashes) {
    const walk = build.walk({ crash });
    const result = await walk.outcome.catch((error: unknown) => error);
    if (!walk.journal.crashed()) return historyOf(build, (result as { status: string }).status);
    expect(result).toBeInstanceOf(Drained);
  }
  return historyOf(build, (await build.walk().outcome).status);
}

/** A crash at every operation there is, before it and after it. */
function everyCrash(operations: number): Crash[] {
  return Array.from({ length: operations }, (_, at) => [
    { at, lose: 'operation' as const },
    { at, lose: 'answer' as const },
  ]).flat();
}

describe('a crash', () => {
  test(
    '[ENG-CRASH1] at any operation of the journal changes nothing visible of a build',
    async () => {
      await fc.assert(
        fc.asyncProperty(randomBuild({ parallel: false }), async (random) => {
          const { expected, operations } = await walkOnce(random);
          for (const crash of everyCrash(operations)) {
            expect({ crash, ...(await walkWithCrashes(random, [crash])) }).toEqual({ crash, ...expected });
          }
        }),
        { numRuns: 20 },
      );
    },
    LONG,
  );

  test(
    '[ENG-CRASH2] nor does one of a build whose steps run side by side',
    async () => {
      await fc.assert(
        fc.asyncProperty(randomBuild({ parallel: true }), async (random) => {
          const { expected, operations } = await walkOnce(random);
          const { events: _, ...ofSteps } = expected;
          for (const crash of everyCrash(operations)) {
            const { events: _events, ...actual } = await walkWithCrashes(random, [crash]);
            expect({ crash, ...actual }).toEqual({ crash, ...ofSteps });
          }
        }),
        { numRuns: 20 },
      );
    },
    LONG,
  );

  test(
    '[ENG-CRASH3] nor do several crashes, one after another',
    async () => {
      const crash = fc.record({ at: fc.nat(60), lose: fc.constantFrom('operation' as const, 'answer' as const) });
      await fc.assert(
        fc.asyncProperty(
          randomBuild({ parallel: false }),
          fc.array(crash, { maxLength: 6 }),
          async (random, crashes) => {
            const { expected } = await walkOnce(random);
            expect(await walkWithCrashes(random, crashes)).toEqual(expected);
          },
        ),
        { numRuns: 100 },
      );
    },
    LONG,
  );

  test(
    '[ENG-CRASH4] starts no process twice',
    async () => {
      await fc.assert(
        fc.asyncProperty(randomBuild({ parallel: true }), fc.nat(100), async (random, at) => {
          const { started } = await walkWithCrashes(random, [{ at, lose: 'answer' }]);
          expect(new Set(started).size).toBe(started.length);
        }),
        { numRuns: 100 },
      );
    },
    LONG,
  );
});
