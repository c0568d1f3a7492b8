import type { Plan } from '@seaplane/config';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RandomBuild, randomBuild } from '../testing/random-plan.ts';
import { type TestBuild, testBuild } from '../testing/walk.ts';
import { Drained } from './interruption.ts';

/** What happens to a build from outside. */
interface Trouble {
  /** The operation of the first walk's journal at which its web dies. */
  readonly crash: { readonly at: number; readonly lose: 'operation' | 'answer' };
  /** The build is aborted after so many operations of a walk; never, deadlines pass first. */
  readonly abortAt: number;
  /** Which processes run until something ends them. */
  readonly hanging: readonly number[];
  readonly failFast: boolean;
}

const trouble = fc.record({
  crash: fc.record({ at: fc.nat(120), lose: fc.constantFrom('operation' as const, 'answer' as const) }),
  abortAt: fc.oneof(fc.nat(60), fc.constant(Number.POSITIVE_INFINITY)),
  hanging: fc.array(fc.nat(12), { maxLength: 4 }),
  failFast: fc.boolean(),
});

/** Walks until the build has ended, and says how. What hangs for good, undisturbed hooks, is let end in the end. */
async function ending({ plan, scripts }: RandomBuild, { crash, abortAt, hanging, failFast }: Trouble) {
  const over = Promise.withResolvers<void>();
  const names = Object.keys(scripts).filter((name) => name.startsWith('step-'));
  const hangs = new Set(hanging.map((index) => names[index % names.length]));
  const changed = Object.entries(scripts).map(([name, script]) =>
    hangs.has(name) ? [name, { ...script, until: () => over.promise }] : [name, script],
  );
  const build = testBuild(failFast ? withFailFast(plan) : plan, Object.fromEntries(changed));
  build.world.variables['secret'] = 'hunter2';
  for (const options of [{ crash }, {}]) {
    const { outcome, journal } = build.walk(options);
    let ended: unknown;
    outcome
      .catch((error: unknown) => error)
      .then((result) => {
        ended = result;
      });
    for (let turn = 0; ended === undefined; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (journal.operations() >= abortAt || turn > 100) build.abort.abort();
      if (turn === 60) await build.clock.advance(3_600_000);
      if (turn > 300) over.resolve();
    }
    if (!(ended instanceof Drained)) return { build, outcome: ended };
  }
  throw new Error('the build did not end');
}

function withFailFast(plan: Plan): Plan {
  return JSON.parse(JSON.stringify(plan).replaceAll('"limit":', '"fail_fast":true,"limit":'));
}

function eventsOfSteps({ contents }: TestBuild) {
  return Object.groupBy(contents.events, ({ data }) => (data as { origin: { id: string } }).origin.id);
}

const ENDS = ['finish', 'finish-get', 'finish-put', 'finish-task', 'error'];

test('[ENG-CRASH6] a crash, an abort and deadlines, at any points, leave no process running and no end unreported', async () => {
  await fc.assert(
    fc.asyncProperty(randomBuild({ parallel: true }), trouble, async (random, met) => {
      const { build, outcome } = await ending(random, met);
      expect(outcome).toHaveProperty('status');
      expect(new Set(build.world.started).size).toBe(build.world.started.length);
      const left = [...build.world.processes].filter(([, { ended, interrupted }]) => !ended && !interrupted);
      expect(left).toEqual([]);
      for (const events of Object.values(eventsOfSteps(build))) {
        expect(events?.filter(({ event }) => ENDS.includes(event))).toEqual([events?.at(-1)]);
      }
      const events = build.contents.events.length;
      expect(await build.walk().outcome).toEqual(outcome);
      expect(build.contents.events).toHaveLength(events);
    }),
    { numRuns: 200 },
  );
}, 60_000);
