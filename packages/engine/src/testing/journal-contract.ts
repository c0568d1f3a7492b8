import { describe, expect, test } from 'vitest';
import type { BuildEvent } from '../events.ts';
import type { Journal } from '../seams.ts';

/** One build, whose journal the suite opens again and again. */
export interface JournaledBuild {
  /** The journal as the next web has it, after the earlier one has died. */
  open(): Journal;
  /** The build's events since it was made, oldest first. */
  events(): Promise<readonly BuildEvent[]>;
  /** The time, in milliseconds, by the clock that all webs share. */
  clock(): Promise<number>;
}

/** The rules that every Journal keeps (SPEC.md, ENG-JRN). */
export function journalContract(name: string, newBuild: () => Promise<JournaledBuild>): void {
  const log = (payload: string): BuildEvent => ({
    event: 'log',
    data: { time: 1, origin: { id: '1', source: 'stdout' }, payload },
  });
  const start: BuildEvent = { event: 'start-get', data: { time: 1, origin: { id: '1' } } };

  describe(`${name} as a Journal`, () => {
    test('[ENG-JRN1] the first value that is recorded under a key holds, for this walk and for later ones', async () => {
      const build = await newBuild();
      const journal = build.open();
      const key = { planId: '1', what: 'result' } as const;
      expect(await journal.read(key)).toBeUndefined();
      expect(await journal.record(key, { outcome: 'succeeded' })).toEqual({ outcome: 'succeeded' });
      expect(await journal.record(key, { outcome: 'failed' })).toEqual({ outcome: 'succeeded' });
      const later = build.open();
      expect(await later.record(key, { outcome: 'errored' })).toEqual({ outcome: 'succeeded' });
      expect(await later.read(key)).toEqual({ outcome: 'succeeded' });
      expect(await later.read({ ...key, planId: '2' })).toBeUndefined();
      expect(await later.read({ ...key, what: 'sandbox' })).toBeUndefined();
    });

    test('[ENG-JRN5] all walks have one clock', async () => {
      const build = await newBuild();
      const times = [await build.clock(), await build.open().now(), await build.open().now(), await build.clock()];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test('[ENG-JRN2] an event with a key is emitted once, over all walks', async () => {
      const build = await newBuild();
      const journal = build.open();
      await journal.emit('start 1', start);
      await journal.emit('start 1', start);
      const later = build.open();
      await later.emit('start 1', start);
      await later.emit('start 2', { ...start, data: { time: 1, origin: { id: '2' } } });
      expect(await build.events()).toEqual([start, { ...start, data: { time: 1, origin: { id: '2' } } }]);
    });

    test('[ENG-JRN3] log events come with the position past them, which later walks know', async () => {
      const build = await newBuild();
      const journal = build.open();
      expect(await journal.logPosition('1')).toEqual({ stdout: 0, stderr: 0 });
      await journal.appendLog('1', [log('a'), log('b')], { stdout: 2, stderr: 0 });
      await journal.appendLog('1', [], { stdout: 2, stderr: 5 });
      expect(await journal.logPosition('1')).toEqual({ stdout: 2, stderr: 5 });
      const later = build.open();
      expect(await later.logPosition('1')).toEqual({ stdout: 2, stderr: 5 });
      expect(await later.logPosition('2')).toEqual({ stdout: 0, stderr: 0 });
      await later.appendLog('1', [log('c')], { stdout: 3, stderr: 5 });
      expect(await build.events()).toEqual([log('a'), log('b'), log('c')]);
    });

    test('[ENG-JRN4] values and events are kept as they are, whatever is in them', async () => {
      const build = await newBuild();
      const journal = build.open();
      const key = { planId: 'a b "c"', what: 'task-file' } as const;
      const value = { text: '\u0000 ß 😀', nested: { list: [1, null, true], empty: {} } };
      await journal.record(key, value);
      await journal.appendLog('1', [log('\u0000'), log('\ud800'), log('"\\')], { stdout: 3, stderr: 0 });
      expect(await build.open().read(key)).toEqual(value);
      expect(await build.events()).toEqual([log('\u0000'), log('\ud800'), log('"\\')]);
    });
  });
}
