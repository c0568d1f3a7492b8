import { describe, expect, test } from 'vitest';
import type { Clock } from '../seams.ts';
import { manualClock, quiet } from '../testing/manual-clock.ts';
import { emptyJournal, memoryJournal } from '../testing/memory-journal.ts';
import { runStep, scriptedStep, testContext } from '../testing/scripted-step.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import { timeout } from './timeout.ts';

const HOUR = 3_600_000;

function fixture() {
  const clock = manualClock();
  const contents = emptyJournal(clock);
  const walk = (does: Parameters<typeof scriptedStep>[0], duration = '1h', own: Clock = clock) => {
    const inner = scriptedStep(does);
    return { inner, step: timeout({ clock: own, journal: memoryJournal(contents) }, 't', inner.step, duration) };
  };
  return { clock, walk };
}

describe('timeout', () => {
  test('[ENG-TIME1] interrupts the step at its deadline; then it failed', async () => {
    const { clock, walk } = fixture();
    const { inner, step } = walk('until-interrupted');
    const whole = runStep(step);
    await quiet();
    await clock.advance(HOUR - 1);
    expect(inner.runs[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await whole).toBe('failed');
  });

  test('[ENG-TIME1] leaves the result of a step alone that ends in time', async () => {
    const { clock, walk } = fixture();
    expect(await runStep(walk('succeeded').step)).toBe('succeeded');
    const error = new Error('disaster');
    await expect(runStep(walk(error).step)).rejects.toBe(error);
    expect(clock.sleepers()).toBe(0);
  });

  test('[ENG-TIME1] leaves an outcome alone that the step found in spite of its deadline', async () => {
    const { clock, walk } = fixture();
    const whole = runStep(
      walk((ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('succeeded')))).step,
    );
    await quiet();
    await clock.advance(HOUR);
    expect(await whole).toBe('succeeded');
  });

  test('[ENG-TIME2] passes on an abort, and the timeout of a step around it', async () => {
    const { walk } = fixture();
    const { ctx, abort } = testContext();
    const whole = runStep(walk('until-interrupted').step, ctx);
    await quiet();
    const outer = new Interruption('timeout', 'outer');
    abort.abort(outer);
    await expect(whole).rejects.toBe(outer);
  });

  test('[ENG-TIME3] counts from the first start, also after a restart', async () => {
    const { clock, walk } = fixture();
    const { ctx, drain } = testContext();
    const first = runStep(walk('until-interrupted').step, ctx);
    await quiet();
    await clock.advance(HOUR / 2);
    drain.abort(new Drained());
    await expect(first).rejects.toThrow(Drained);

    const second = walk('until-interrupted');
    const whole = runStep(second.step);
    await quiet();
    await clock.advance(HOUR / 2 - 1);
    expect(second.inner.runs[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await whole).toBe('failed');
  });

  test.each([2 * HOUR, -2 * HOUR])(
    '[ENG-TIME3] counts by the clock of the journal, whatever that of the next web says: off by %d ms',
    async (off) => {
      const { clock, walk } = fixture();
      const { ctx, drain } = testContext();
      const first = runStep(walk('until-interrupted').step, ctx);
      await quiet();
      await clock.advance(HOUR / 2);
      drain.abort(new Drained());
      await expect(first).rejects.toThrow(Drained);

      const wrong: Clock = { ...clock, now: () => new Date(clock.now().getTime() + off) };
      const second = walk('until-interrupted', '1h', wrong);
      const whole = runStep(second.step);
      await clock.advance(HOUR / 2 - 1);
      expect(second.inner.runs[0]?.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(await whole).toBe('failed');
    },
  );

  test('[ENG-TIME4] a walk after the end interrupts nothing that was in time', async () => {
    const { clock, walk } = fixture();
    await runStep(walk('succeeded').step);
    await clock.advance(2 * HOUR);
    const again = walk('succeeded');
    expect(await runStep(again.step)).toBe('succeeded');
    expect(again.inner.runs[0]?.signal.aborted).toBe(false);
  });

  test('[ENG-TIME4] a walk after the end begins nothing that was too late', async () => {
    const { clock, walk } = fixture();
    const whole = runStep(walk('until-interrupted').step);
    await quiet();
    await clock.advance(HOUR);
    await whole;
    const again = walk('until-interrupted');
    expect(await runStep(again.step)).toBe('failed');
    expect(again.inner.runs[0]?.signal.aborted).toBe(true);
  });

  test('[ENG-TIME4] a walk after the end has the same reason, whatever has happened since', async () => {
    const late = fixture();
    const whole = runStep(late.walk('until-interrupted').step);
    await late.clock.advance(HOUR);
    expect(await whole).toBe('failed');
    const { ctx, abort } = testContext();
    abort.abort(new Interruption('abort'));
    expect(await runStep(late.walk('until-interrupted').step, ctx)).toBe('failed');

    const aborted = fixture();
    const slow = scriptedStep(async (inner) => {
      await aborted.clock.sleep(2 * HOUR, new AbortController().signal);
      throw inner.signal.reason;
    });
    const first = runStep(aborted.walk(slow.step).step, ctx).catch((error: unknown) => error);
    await aborted.clock.advance(2 * HOUR);
    expect(await first).toMatchObject({ kind: 'abort' });
    await expect(runStep(aborted.walk('until-interrupted').step, ctx)).rejects.toMatchObject({ kind: 'abort' });
  });

  test('[ENG-TIME5] errors when the duration is none', async () => {
    await expect(runStep(fixture().walk('succeeded', 'soon').step)).rejects.toThrow('soon');
  });
});
