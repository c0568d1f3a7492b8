import type { Plan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import { quiet } from '../testing/manual-clock.ts';
import type { Crash } from '../testing/memory-journal.ts';
import type { Script, World } from '../testing/memory-world.ts';
import { putPlan, taskPlan } from '../testing/plans.ts';
import { type History, historyOf } from '../testing/same-build.ts';
import { type TestBuild, testBuild } from '../testing/walk.ts';
import { Drained } from './interruption.ts';

/** A build in which something is made to end, and what makes it. */
interface Scenario {
  readonly plan: Plan;
  readonly scripts: Record<string, Script>;
  /** How it ends, and which processes it starts. */
  readonly status: 'aborted' | 'failed';
  readonly starts: string;
  /** Done again and again until the build ends. */
  readonly provoke?: (build: TestBuild) => Promise<void> | void;
}

const hangs: Script = { stdout: 'working\n', untilInterrupted: 'got TERM\n' };
const hook = (id: string, step: Plan, kind: 'ensure' | 'on_abort' | 'on_failure' | 'on_success'): Plan =>
  ({ id: `${kind}-${id}`, [kind]: { step, [kind]: putPlan(`${id}-${kind}`) } }) as unknown as Plan;
const allHooks = (id: string, step: Plan) =>
  hook(id, hook(id, hook(id, hook(id, step, 'on_success'), 'on_failure'), 'on_abort'), 'ensure');
const slow = (id: string, timeout?: string) => taskPlan(id, { name: 'hangs', ...(timeout ? { timeout } : {}) });
const quick = (id: string, name = 'fine') => taskPlan(id, { name });
const whenRunning = (id: string, act: (build: TestBuild) => Promise<void> | void) => (build: TestBuild) =>
  build.world.processes.has(id) ? act(build) : undefined;
const untilRunning = (id: string) => async (world: World) => {
  while (!world.processes.has(id)) await quiet();
};
const abortWhenRunning = (id: string) => whenRunning(id, ({ abort }) => abort.abort());

const SCENARIOS: Record<string, Scenario> = {
  'an abort, with hooks': {
    status: 'aborted',
    starts: 'a b b-on_abort b-ensure',
    plan: { id: '0', do: [quick('a'), allHooks('b', slow('b')), quick('c')] },
    scripts: { hangs },
    provoke: abortWhenRunning('b'),
  },
  'an abort within hooks': {
    status: 'aborted',
    starts: 'a b b-on_abort b-ensure',
    plan: { id: '0', ensure: { step: quick('a'), ensure: allHooks('b', slow('b')) } },
    scripts: { hangs },
    provoke: abortWhenRunning('b'),
  },
  'an abort within retries': {
    status: 'aborted',
    starts: 'a b',
    plan: { id: '0', retry: [{ id: 'd', do: [quick('a', 'fails')] }, slow('b'), quick('c')] },
    scripts: { hangs, fails: { exit: 1 } },
    provoke: abortWhenRunning('b'),
  },
  'an abort within a group that has more to do': {
    status: 'aborted',
    starts: 'a b b-on_abort b-ensure g-on_abort g-ensure',
    plan: allHooks('g', {
      id: '0',
      in_parallel: { limit: 1, steps: [quick('a'), allHooks('b', slow('b')), quick('c')] },
    }),
    scripts: { hangs },
    provoke: abortWhenRunning('b'),
  },
  'an abort within a try': {
    status: 'aborted',
    starts: 'b',
    plan: { id: '0', do: [{ id: 't', try: { step: slow('b') } }, quick('c')] },
    scripts: { hangs },
    provoke: abortWhenRunning('b'),
  },
  'the timeout of a step': {
    status: 'failed',
    starts: 'a b b-on_failure b-ensure',
    plan: { id: '0', do: [quick('a'), allHooks('b', slow('b', '1m')), quick('c')] },
    scripts: { hangs },
    provoke: whenRunning('b', ({ clock }) => clock.advance(60_000)),
  },
  'the timeout of a group': {
    status: 'failed',
    starts: 'a b t-on_failure t-ensure',
    plan: allHooks('t', {
      id: 't',
      timeout: {
        duration: '1m',
        step: { id: 'd', in_parallel: { limit: 1, steps: [quick('a'), slow('b'), quick('c')] } },
      },
    }),
    scripts: { hangs },
    provoke: whenRunning('b', ({ clock }) => clock.advance(60_000)),
  },
  'a fail_fast, with more to do': {
    status: 'failed',
    starts: 'a b b-on_abort b-ensure g-on_failure g-ensure',
    plan: allHooks('g', {
      id: '0',
      in_parallel: {
        limit: 2,
        fail_fast: true,
        steps: [allHooks('b', slow('b')), quick('a', 'fails-late'), quick('c')],
      },
    }),
    scripts: { hangs, 'fails-late': { exit: 1, until: untilRunning('b') } },
  },
};

async function walkToEnd(scenario: Scenario, crash?: Crash): Promise<{ history: History; operations: number }> {
  const build = testBuild(scenario.plan, scenario.scripts);
  for (const planned of crash ? [crash, undefined] : [undefined]) {
    const walk = build.walk(planned ? { crash: planned } : {});
    let ended = false;
    const result = walk.outcome
      .catch((error: unknown) => error)
      .finally(() => {
        ended = true;
      });
    while (!ended) {
      await quiet();
      await scenario.provoke?.(build);
    }
    const outcome = await result;
    if (!(outcome instanceof Drained)) {
      return {
        history: historyOf(build, (outcome as { status: string }).status),
        operations: walk.journal.operations(),
      };
    }
  }
  throw new Error('the build did not end');
}

describe('a crash while something is made to end', () => {
  test.each(Object.entries(SCENARIOS))(
    '[ENG-CRASH5] changes nothing: %s',
    async (_name, scenario) => {
      const { history: expected, operations } = await walkToEnd(scenario);
      const starts = scenario.starts.split(' ').sort();
      expect(expected).toMatchObject({ status: scenario.status, started: starts });
      for (let at = 0; at < operations; at++) {
        for (const lose of ['operation', 'answer'] as const) {
          const { events: _events, ...actual } = (await walkToEnd(scenario, { at, lose })).history;
          const { events: _expected, ...wanted } = expected;
          expect({ at, lose, ...actual }).toEqual({ at, lose, ...wanted });
        }
      }
    },
    60_000,
  );
});
