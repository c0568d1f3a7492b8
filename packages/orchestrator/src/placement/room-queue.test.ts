import { manualClock, quiet } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { HostError } from '../host/host-error.ts';
import { RoomQueue } from './room-queue.ts';

/** A host that has room for so many, a queue before it, and everything that happened. */
function fullHost(slots = 0) {
  const clock = manualClock();
  const listeners: (() => void)[] = [];
  const watch = {
    onRoom(listener: () => void) {
      listeners.push(listener);
      return () => {};
    },
  };
  const queue = new RoomQueue(watch, clock);
  const state = { slots, asked: [] as string[], full: [] as string[] };
  const enter = (name: string, { size = 1, waitMs = 24 * 3_600_000, signal = new AbortController().signal } = {}) =>
    queue.enter({
      attempt: async () => {
        state.asked.push(name);
        if (state.slots < size) throw new HostError('quota', 'exceeded quota');
        state.slots -= size;
      },
      onFull: async (refusal) => void state.full.push(`${name} ${refusal?.message ?? 'behind others'}`),
      waitMs,
      signal,
    });
  const free = async (slots: number) => {
    state.slots += slots;
    for (const listener of listeners) listener();
    await quiet();
  };
  return { clock, state, enter, free };
}

test('[ORC-ROOM3] a step enters at once where there is room, and any other refusal is its error', async () => {
  const { enter, state, clock } = fullHost(1);
  await enter('a');
  expect(state).toEqual({ slots: 0, asked: ['a'], full: [] });
  const queue = new RoomQueue({ onRoom: () => () => {} }, clock);
  const attempt = () => Promise.reject(new HostError('refused', 'no'));
  const never = new AbortController().signal;
  await expect(queue.enter({ attempt, onFull: async () => {}, waitMs: 1, signal: never })).rejects.toThrow('no');
});

test('[ORC-ROOM3] steps wait in order, and each freed slot is asked for once', async () => {
  const { enter, free, state, clock } = fullHost();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) void enter(name).then(() => done.push(name));
  await quiet();
  await clock.advance(2_000);
  expect(state.asked).toEqual(['a', 'b', 'c']); // each had asked before it had to wait
  void enter('d').then(() => done.push('d'));
  await quiet();
  expect(state.asked).toEqual(['a', 'b', 'c']); // others wait already
  expect(state.full.sort()).toEqual(['a exceeded quota', 'b exceeded quota', 'c exceeded quota', 'd behind others']);
  state.asked.length = 0;
  await free(1);
  expect(done).toEqual(['a']);
  expect(state.asked).toEqual(['a', 'b']); // b asks because there may be more than a needed
  await free(2);
  expect(done).toEqual(['a', 'b', 'c']);
  expect(state.asked).toEqual(['a', 'b', 'b', 'c', 'd']);
  await free(0);
  expect(state.asked).toEqual(['a', 'b', 'b', 'c', 'd', 'd']);
  await free(1);
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

test('[ORC-ROOM3] a full host is asked again every half minute, by the first in line only', async () => {
  const { enter, state, clock } = fullHost();
  void enter('a');
  void enter('b');
  await clock.advance(2_000);
  state.asked.length = 0;
  await clock.advance(29_999);
  expect(state.asked).toEqual([]);
  await clock.advance(1);
  await clock.advance(30_000);
  expect(state.asked).toEqual(['a', 'a']);
});

test('[ORC-ROOM3] small steps do not overtake a large one', async () => {
  const { enter, free, state } = fullHost();
  const done: string[] = [];
  void enter('large', { size: 3 }).then(() => done.push('large'));
  await quiet();
  void enter('small').then(() => done.push('small'));
  await free(2);
  expect(done).toEqual([]);
  await free(1);
  expect(done).toEqual(['large']);
  await free(1);
  expect(done).toEqual(['large', 'small']);
  expect(state.slots).toBe(0);
});

test('[ORC-ROOM3] a step that is interrupted leaves the line, and the next one asks', async () => {
  const { enter, free, state } = fullHost();
  const stop = new AbortController();
  const first = enter('a', { signal: stop.signal });
  const aborted = expect(first).rejects.toThrow('aborted');
  await quiet();
  const second = enter('b');
  await quiet();
  stop.abort(new Error('aborted'));
  await aborted;
  await quiet();
  expect(state.asked).toEqual(['a', 'b']);
  await free(1);
  await second;
});

test('[ORC-ROOM3] room that comes within a moment is neither reported nor made', async () => {
  const { enter, free, state, clock } = fullHost();
  const entered = enter('a');
  await clock.advance(1_999);
  await free(1);
  await entered;
  expect(state).toEqual({ slots: 0, asked: ['a', 'a'], full: [] });
});

test('[ORC-ROOM4] a step that has waited for as long as the operator lets it errors, wherever it is in line', async () => {
  const { enter, state, clock } = fullHost();
  const first = enter('a');
  first.catch(() => {});
  await quiet();
  const second = enter('b', { waitMs: 60 * 60_000 });
  const late = expect(second).rejects.toMatchObject({
    code: 'quota',
    message: 'no room after 3600 seconds: exceeded quota',
  });
  await quiet();
  for (let minute = 0; minute < 60; minute++) await clock.advance(60_000);
  await late;
  expect(state.asked.filter((name) => name === 'b')).toEqual(['b']);
});
