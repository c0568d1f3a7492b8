import { describe, expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { newDeadline } from './deadline.ts';
import { Interruption } from './interruption.ts';

const DAY = 24 * 3_600_000;
const reason = new Interruption('timeout', '1');

describe('a deadline', () => {
  test('[ENG-TIME6] may be further away than a timer can be set', async () => {
    const clock = manualClock();
    const slept: number[] = [];
    const sleep = (ms: number, signal: AbortSignal) => {
      slept.push(ms);
      return clock.sleep(ms, signal);
    };
    using deadline = newDeadline({ sleep }, reason);
    deadline.passIn(30 * DAY + 5);
    for (let day = 0; day < 30; day++) await clock.advance(DAY);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(5);
    expect(deadline.signal.reason).toBe(reason);
    expect(Math.max(...slept)).toBe(DAY);
  });

  test('[ENG-TIME6] passes at once when no time is left, never when it has none', () => {
    const clock = manualClock();
    using past = newDeadline(clock, reason);
    past.passIn(0);
    expect(past.signal.aborted).toBe(true);
    using none = newDeadline(clock, reason);
    none.passIn(Number.POSITIVE_INFINITY);
    expect([none.signal.aborted, clock.sleepers()]).toEqual([false, 0]);
  });
});
