import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { timeType } from './time-type.ts';

function contextAt(now: string) {
  return { now: () => Date.parse(now), env: {}, log: () => {}, signal: new AbortController().signal };
}

interface Case {
  readonly name: string;
  readonly source: Record<string, unknown>;
  readonly now: string;
  readonly previous?: string;
  /** Whether there is a new version. */
  readonly due: boolean;
}

const NIGHT = { start: '11:00 PM', stop: '1:00 AM' };
const BERLIN = { location: 'Europe/Berlin' };
const NEW_YORK = { location: 'America/New_York' };
const CASES: readonly Case[] = [
  { name: 'no version: at once', source: { interval: '1h' }, now: '2026-11-16T10:00:00Z', due: true },
  {
    name: 'the interval has not passed',
    source: { interval: '1h' },
    now: '2026-11-16T10:59:59Z',
    previous: '2026-11-16T10:00:00Z',
    due: false,
  },
  {
    name: 'the interval has passed',
    source: { interval: '1h' },
    now: '2026-11-16T11:00:00Z',
    previous: '2026-11-16T10:00:00Z',
    due: true,
  },
  {
    name: 'an interval of several units',
    source: { interval: '1h30m10.5s' },
    now: '2026-11-16T11:30:10.5Z',
    previous: '2026-11-16T10:00:00Z',
    due: true,
  },
  { name: 'before the range', source: { start: '8:00 PM', stop: '9:00 PM' }, now: '2026-11-16T19:59:59Z', due: false },
  { name: 'at the start', source: { start: '8:00 PM', stop: '9:00 PM' }, now: '2026-11-16T20:00:00Z', due: true },
  { name: 'at the stop', source: { start: '8:00 PM', stop: '9:00 PM' }, now: '2026-11-16T21:00:00Z', due: false },
  {
    name: 'once a range without an interval',
    source: { start: '20:00', stop: '21:00' },
    now: '2026-11-16T20:30:00Z',
    previous: '2026-11-16T20:00:01Z',
    due: false,
  },
  {
    name: 'again in the range of the next day',
    source: { start: '20:00', stop: '21:00' },
    now: '2026-11-17T20:00:00Z',
    previous: '2026-11-16T20:00:01Z',
    due: true,
  },
  {
    name: 'an interval within a range',
    source: { interval: '10m', start: '2000', stop: '2100' },
    now: '2026-11-16T20:20:00Z',
    previous: '2026-11-16T20:10:00Z',
    due: true,
  },
  {
    name: 'an interval outside of its range',
    source: { interval: '10m', start: '2000', stop: '2100' },
    now: '2026-11-16T22:20:00Z',
    previous: '2026-11-16T20:10:00Z',
    due: false,
  },
  { name: 'a range over midnight, before it', source: NIGHT, now: '2026-11-16T23:30:00Z', due: true },
  { name: 'a range over midnight, after it', source: NIGHT, now: '2026-11-17T00:59:59Z', due: true },
  { name: 'a range over midnight, outside', source: NIGHT, now: '2026-11-17T01:00:00Z', due: false },
  {
    name: 'a range over midnight is one range',
    source: NIGHT,
    now: '2026-11-17T00:30:00Z',
    previous: '2026-11-16T23:10:00Z',
    due: false,
  },
  {
    name: 'equal start and stop: the whole day',
    source: { start: '6AM', stop: '6AM' },
    now: '2026-11-16T05:00:00Z',
    due: true,
  },
  {
    name: 'neither interval nor range: once a day',
    source: {},
    now: '2026-11-16T23:59:59Z',
    previous: '2026-11-16T00:00:00Z',
    due: false,
  },
  {
    name: 'neither interval nor range: on the next day',
    source: {},
    now: '2026-11-17T00:00:00Z',
    previous: '2026-11-16T00:00:00Z',
    due: true,
  },
  {
    name: 'one of the days',
    source: { interval: '1m', days: ['Monday', 'wed'] },
    now: '2026-11-16T10:00:00Z',
    due: true,
  },
  { name: 'none of the days', source: { interval: '1m', days: ['Tuesday'] }, now: '2026-11-16T10:00:00Z', due: false },
  {
    name: 'the day is that of the location',
    source: { interval: '1m', days: ['Tuesday'], location: 'Asia/Tokyo' },
    now: '2026-11-16T15:00:00Z',
    due: true,
  },
  {
    name: 'the range is that of the location',
    source: { start: '9:00', stop: '10:00', ...BERLIN },
    now: '2026-11-16T08:30:00Z',
    due: true,
  },
  {
    name: 'the same in summer',
    source: { start: '9:00', stop: '10:00', ...BERLIN },
    now: '2026-07-16T07:30:00Z',
    due: true,
  },
  {
    name: 'the same in summer, an hour late',
    source: { start: '9:00', stop: '10:00', ...BERLIN },
    now: '2026-07-16T08:30:00Z',
    due: false,
  },
  {
    name: 'an offset behind the times',
    source: { start: '9:00 +0200', stop: '10:00 +0200' },
    now: '2026-11-16T07:30:00Z',
    due: true,
  },
  // 2026-03-29 02:00 CET is 03:00 CEST: half past two does not exist. Go takes it for 03:30 CEST (01:30 UTC).
  {
    name: 'a start that a change of the clock skips',
    source: { start: '2:30', stop: '4:00', ...BERLIN },
    now: '2026-03-29T01:29:59Z',
    due: false,
  },
  {
    name: 'after such a start',
    source: { start: '2:30', stop: '4:00', ...BERLIN },
    now: '2026-03-29T01:30:00Z',
    due: true,
  },
  {
    name: 'the stop of that day',
    source: { start: '2:30', stop: '4:00', ...BERLIN },
    now: '2026-03-29T02:00:00Z',
    due: false,
  },
  // 2026-10-25 03:00 CEST is 02:00 CET: half past two comes twice. Go takes the second (01:30 UTC).
  {
    name: 'a start that comes twice, the first time',
    source: { start: '2:30', stop: '4:00', ...BERLIN },
    now: '2026-10-25T00:30:00Z',
    due: false,
  },
  {
    name: 'a start that comes twice, the second time',
    source: { start: '2:30', stop: '4:00', ...BERLIN },
    now: '2026-10-25T01:30:00Z',
    due: true,
  },
  // West of UTC, Go takes the hour before a gap (06:30 UTC), and the first of two (05:30 UTC).
  {
    name: 'a start that is skipped in New York',
    source: { start: '2:30', stop: '4:00', ...NEW_YORK },
    now: '2026-03-08T06:30:00Z',
    due: true,
  },
  {
    name: 'before it',
    source: { start: '2:30', stop: '4:00', ...NEW_YORK },
    now: '2026-03-08T06:29:59Z',
    due: false,
  },
  {
    name: 'a start that comes twice in New York',
    source: { start: '1:30', stop: '4:00', ...NEW_YORK },
    now: '2026-11-01T05:30:00Z',
    due: true,
  },
  {
    name: 'start_after is to come',
    source: { interval: '1m', start_after: '2026-11-16T10:00' },
    now: '2026-11-16T10:00:00Z',
    due: false,
  },
  {
    name: 'start_after has passed',
    source: { interval: '1m', start_after: '2026-11-16T10' },
    now: '2026-11-16T10:00:01Z',
    due: true,
  },
  {
    name: 'start_after is a time of the location',
    source: { interval: '1m', start_after: '2026-11-16 11:00:00', ...BERLIN },
    now: '2026-11-16T10:00:01Z',
    due: true,
  },
];

test.each(CASES)('[BT2] check: $name', async ({ source, now, previous, due }) => {
  const request = { source, params: {}, ...(previous && { version: { time: previous } }) };
  const versions = await timeType.check(contextAt(now), request);
  expect(versions.slice(0, previous ? 1 : 0)).toEqual(previous ? [{ time: previous }] : []);
  const fresh = versions.slice(previous ? 1 : 0);
  expect(fresh.map(({ time }) => Date.parse(time ?? ''))).toEqual(due ? [Date.parse(now)] : []);
});

test('[BT2] initial_version gives the first version outside of the range, too', async () => {
  const source = { initial_version: true, start: '8PM', stop: '9PM' };
  const context = contextAt('2026-11-16T10:00:00Z');
  expect(await timeType.check(context, { source, params: {} })).toEqual([{ time: '2026-11-16T10:00:00Z' }]);
  const again = { source, params: {}, version: { time: '2026-11-16T10:00:00Z' } };
  expect(await timeType.check(contextAt('2026-11-16T11:00:00Z'), again)).toEqual([{ time: '2026-11-16T10:00:00Z' }]);
});

test.each([
  [{ start: '8PM' }, "must configure 'stop' if 'start' is set"],
  [{ stop: '8PM' }, "must configure 'start' if 'stop' is set"],
  [{ start: '25:00', stop: '3' }, 'invalid time "25:00"'],
  [{ start: '13PM', stop: '3PM' }, 'invalid time "13PM"'],
  [{ start: '3:04PM', stop: '4PM' }, 'invalid time "3:04PM"'],
  [{ interval: '5 minutes' }, 'source.interval must be a duration'],
  [{ location: 'Mars/Base' }, 'unknown time zone Mars/Base'],
  [{ days: ['Someday'] }, 'unknown weekday: Someday'],
  [{ intervall: '1m' }, 'unknown field source.intervall'],
  [{ cron: '* * * * *' }, 'source.cron needs the published image'],
  [{ start_after: 'tomorrow' }, 'invalid date "tomorrow"'],
])('[BT1] the source %j is refused', async (source, message) => {
  await expect(timeType.check(contextAt('2026-11-16T10:00:00Z'), { source, params: {} })).rejects.toThrow(message);
});

test('[BT3] versions are RFC 3339 in the location, to the millisecond', async () => {
  const out = (source: object) =>
    timeType.out(contextAt('2026-11-16T10:00:00.120Z'), { source: { ...source }, params: {} }, '/');
  expect(await out({})).toEqual({ version: { time: '2026-11-16T10:00:00.12Z' }, metadata: [] });
  expect((await out(BERLIN)).version).toEqual({ time: '2026-11-16T11:00:00.12+01:00' });
  expect((await out({ location: 'America/St_Johns' })).version).toEqual({ time: '2026-11-16T06:30:00.12-03:30' });
});

test('[BT3] in writes the request and the time, and returns the version in the location', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'time-in-'));
  const version = { time: '2026-11-16T10:00:00.123456789Z' };
  const request = { source: { interval: '1m', ...BERLIN }, params: {}, version };
  const answer = await timeType.in(contextAt('2027-01-01T00:00:00Z'), request, join(dir, 'to'));
  expect(answer).toEqual({ version: { time: '2026-11-16T11:00:00.123456789+01:00' }, metadata: [] });
  const file = (name: string) => readFile(join(dir, 'to', name), 'utf8');
  expect(JSON.parse(await file('input'))).toEqual({ source: request.source, version });
  expect(await file('timestamp')).toBe('2026-11-16 11:00:00.123456789 +0100 GMT+1');
  expect(await file('epoch')).toBe('1794823200');
  const plain = await timeType.in(contextAt('2027-01-01T00:00:00Z'), { source: {}, params: {}, version }, dir);
  expect(plain.version).toEqual(version);
  await rm(dir, { recursive: true });
});
