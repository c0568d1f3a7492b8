import { describe, expect, test } from 'vitest';
import { journalMark } from '../journal/mark.ts';
import { quiet } from '../testing/manual-clock.ts';
import { emptyJournal, memoryJournal } from '../testing/memory-journal.ts';
import { runStep, type ScriptedStep, scriptedStep, testContext } from '../testing/scripted-step.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import type { Outcome } from '../walk/step.ts';
import { inParallel } from './in-parallel.ts';

const error = new Error('disaster');
const aborted = new Interruption('abort');

function group(
  members: readonly ScriptedStep[],
  { limit, failFast = false }: { readonly limit?: number; readonly failFast?: boolean } = {},
  contents = emptyJournal(),
  begun: readonly boolean[] = [],
) {
  return inParallel(
    'p',
    members.map(({ step }, index) => ({ step, hasBegun: async () => begun[index] ?? false })),
    { limit, failFast: failFast ? journalMark(memoryJournal(contents), 'p', 'failed-fast') : undefined },
  );
}

/** A step that ends when a test opens it. */
function gate(): ScriptedStep & { open: (outcome: Outcome) => void } {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  return { ...scriptedStep(() => promise), open: resolve };
}

describe('in_parallel', () => {
  test('[ENG-PAR1] runs all side by side, waits for all, and fails if one fails', async () => {
    const members = [gate(), gate(), gate()];
    let ended = false;
    const whole = runStep(group(members)).finally(() => {
      ended = true;
    });
    await quiet();
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 1]);
    members[0]?.open('failed');
    members[1]?.open('succeeded');
    await quiet();
    expect(ended).toBe(false);
    members[2]?.open('succeeded');
    expect(await whole).toBe('failed');
  });

  test('[ENG-PAR1] succeeds when all do, and when there are none', async () => {
    expect(await runStep(group([scriptedStep('succeeded'), scriptedStep('succeeded')]))).toBe('succeeded');
    expect(await runStep(group([]))).toBe('succeeded');
  });

  test('[ENG-PAR2] gathers the errors, in the order of the steps', async () => {
    const second = new Error('another');
    const thrown = await runStep(group([scriptedStep(error), scriptedStep('failed'), scriptedStep(second)])).catch(
      (reason: unknown) => reason,
    );
    expect((thrown as AggregateError).errors).toEqual([error, second]);
  });

  test('[ENG-PAR3] runs no more than its limit at once, in order', async () => {
    const members = [gate(), gate(), gate(), gate()];
    const whole = runStep(group(members, { limit: 2 }));
    await quiet();
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 0, 0]);
    members[1]?.open('failed');
    await quiet();
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 1, 0]);
    for (const member of members) member.open('succeeded');
    expect(await whole).toBe('failed');
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 1, 1]);
  });

  test('[ENG-PAR4] fail_fast interrupts the others, begins no more, and is a failure, no error', async () => {
    const members = [scriptedStep('until-interrupted'), scriptedStep('failed'), scriptedStep('succeeded')];
    expect(await runStep(group(members, { limit: 2, failFast: true }))).toBe('failed');
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 0]);
    expect(members[0]?.runs[0]?.signal.reason).toMatchObject({ kind: 'fail-fast', by: 'p' });
  });

  test('[ENG-PAR4] fail_fast after an error is that error', async () => {
    const members = [scriptedStep('until-interrupted'), scriptedStep(error)];
    await expect(runStep(group(members, { failFast: true }))).rejects.toMatchObject({ errors: [error] });
  });

  test('[ENG-PAR5] an abort from outside is an abort, whatever else happened', async () => {
    const { ctx, abort } = testContext();
    const members = [scriptedStep('failed'), scriptedStep(error), scriptedStep('until-interrupted')];
    const whole = runStep(group(members, { failFast: false }), ctx);
    await quiet();
    abort.abort(aborted);
    await expect(whole).rejects.toBe(aborted);
  });

  test('[ENG-PAR5] the fail_fast of a group around it is not its own', async () => {
    const outer = new Interruption('fail-fast', 'outer');
    await expect(runStep(group([scriptedStep(outer)], { failFast: true }))).rejects.toBe(outer);
  });

  test('[ENG-PAR5] begins nothing once aborted', async () => {
    const { ctx, abort } = testContext();
    const first = scriptedStep(async () => {
      abort.abort(aborted);
      return 'succeeded';
    });
    const second = scriptedStep('succeeded');
    await expect(runStep(group([first, second], { limit: 1 }), ctx)).rejects.toBe(aborted);
    expect(second.runs).toHaveLength(0);
  });

  test('[ENG-PAR5] an abort that nobody noticed changes nothing', async () => {
    const { ctx, abort } = testContext();
    const only = scriptedStep(async () => {
      abort.abort(aborted);
      return 'succeeded';
    });
    expect(await runStep(group([only]), ctx)).toBe('succeeded');
  });

  test('[ENG-PAR6] remembers its fail_fast: a later walk begins nothing and ends what was begun', async () => {
    const contents = emptyJournal();
    const options = { limit: 2, failFast: true };
    await runStep(group([scriptedStep('until-interrupted'), scriptedStep('failed')], options, contents));

    const members = [scriptedStep('until-interrupted'), scriptedStep('failed'), scriptedStep('succeeded')];
    expect(await runStep(group(members, options, contents, [true, true, false]))).toBe('failed');
    expect(members.map(({ runs }) => runs.length)).toEqual([1, 1, 0]);
    expect(members[0]?.runs[0]?.signal.aborted).toBe(true);
  });

  test('[ENG-PAR6] even if the build has been aborted since', async () => {
    const contents = emptyJournal();
    await runStep(group([scriptedStep('until-interrupted'), scriptedStep('failed')], { failFast: true }, contents));
    const { ctx, abort } = testContext();
    abort.abort(new Interruption('abort'));
    const members = [scriptedStep('until-interrupted'), scriptedStep('failed')];
    expect(await runStep(group(members, { failFast: true }, contents, [true, true]), ctx)).toBe('failed');
  });

  test('[ENG-PAR6] one that came after an abort is none', async () => {
    const contents = emptyJournal();
    const { ctx, abort } = testContext();
    abort.abort(new Interruption('abort'));
    const members = [scriptedStep('until-interrupted'), scriptedStep('failed')];
    for (let walk = 0; walk < 2; walk++) {
      const whole = runStep(group(members, { failFast: true }, contents, [true, true]), ctx);
      await expect(whole).rejects.toMatchObject({ kind: 'abort' });
    }
  });

  test('[ENG-PAR7] a drain is a drain, after all have stopped', async () => {
    const { ctx, drain } = testContext();
    const drained = new Drained();
    const members = [scriptedStep('until-interrupted'), scriptedStep('until-interrupted'), scriptedStep('failed')];
    const whole = runStep(group(members), ctx);
    await quiet();
    drain.abort(drained);
    await expect(whole).rejects.toBe(drained);
  });
});
