import { Fields } from '../fields.ts';
import { type WallTime, Zone } from './zone.ts';

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export interface TimeSource {
  readonly initialVersion: boolean;
  readonly intervalMs?: number;
  readonly start?: TimeOfDay;
  readonly stop?: TimeOfDay;
  /** 0 is Sunday. Empty: every day. */
  readonly days: readonly number[];
  /** Undefined: UTC, and versions keep the offset they have. */
  readonly location?: Zone;
  readonly startAfter?: WallTime;
}

const KNOWN = ['initial_version', 'interval', 'start', 'stop', 'days', 'location', 'start_after'];
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

export function parseTimeSource(source: Readonly<Record<string, unknown>>): TimeSource {
  const fields = new Fields('source', source);
  fields.allow(KNOWN, ['cron']);
  const [interval, start, stop, location, startAfter] = ['interval', 'start', 'stop', 'location', 'start_after'].map(
    (name) => fields.text(name),
  );
  if (start !== undefined && stop === undefined) throw new Error("must configure 'stop' if 'start' is set");
  if (stop !== undefined && start === undefined) throw new Error("must configure 'start' if 'stop' is set");
  return {
    initialVersion: fields.flag('initial_version'),
    ...(interval !== undefined && { intervalMs: parseDuration(interval) }),
    ...(start !== undefined && { start: parseTimeOfDay(start) }),
    ...(stop !== undefined && { stop: parseTimeOfDay(stop) }),
    days: fields.texts('days').map(parseDay),
    ...(location !== undefined && { location: Zone.of(location) }),
    ...(startAfter !== undefined && { startAfter: parseStartAfter(startAfter) }),
  };
}

/** Go's durations: `60s`, `1h30m`, `1.5h`. */
function parseDuration(text: string): number {
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (!match)
    throw new Error(`source.interval must be a duration such as 60s, 90m or 1h30m, not ${JSON.stringify(text)}`);
  let ms = 0;
  for (const [, number, unit = ''] of (match[2] ?? '').matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    ms += Number(number) * (UNITS_MS[unit] ?? 0);
  }
  return match[1] === '-' ? -ms : ms;
}

/** `3:04 PM`, `3PM`, `3 PM`, `15:04` or `1504`, and after it an offset of UTC (`-0700`). */
function parseTimeOfDay(text: string): TimeOfDay {
  const [, time = '', sign, hours, minutes] = /^(.*?)(?: ([+-])(\d\d)(\d\d))?$/.exec(text) ?? [];
  const half = /^(\d{1,2})(?::(\d\d)(?= )| ?(?=[AP]M$)) ?(AM|PM)$/.exec(time);
  const full = /^(\d{1,2}):(\d\d)$/.exec(time) ?? /^(\d\d)(\d\d)$/.exec(time);
  const [hour, minute] = half
    ? [(Number(half[1]) % 12) + (half[3] === 'PM' ? 12 : 0), Number(half[2] ?? 0)]
    : [Number(full?.[1] ?? 99), Number(full?.[2] ?? 99)];
  if (hour > 23 || minute > 59 || Number(half?.[1] ?? 0) > 12) {
    throw new Error(`invalid time ${JSON.stringify(text)}: write 3:04 PM, 3PM, 3 PM, 15:04 or 1504`);
  }
  const ahead = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const utc = (((hour * 60 + minute - ahead) % 1440) + 1440) % 1440;
  return { hour: Math.floor(utc / 60), minute: utc % 60 };
}

function parseDay(text: string): number {
  const lower = text.toLowerCase();
  const day = DAYS.findIndex((name) => name === lower || name.slice(0, 3) === lower);
  if (day < 0) throw new Error(`unknown weekday: ${text}`);
  return day;
}

function parseStartAfter(text: string): WallTime {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?| (\d\d):(\d\d):(\d\d))?$/.exec(text);
  if (!match) throw new Error(`invalid date ${JSON.stringify(text)}: write 2006-01-02 or 2006-01-02T15:04:05`);
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map((part) => Number(part ?? Number.NaN));
  const [hour = 0, minute = 0, second = 0] = Number.isNaN(rest[3] ?? Number.NaN) ? rest : rest.slice(3);
  const orZero = (value: number) => (Number.isNaN(value) ? 0 : value);
  return { year, month, day, hour: orZero(hour), minute: orZero(minute), second: orZero(second) };
}
