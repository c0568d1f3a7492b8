import type { TimeSource } from './time-source.ts';
import { Zone } from './zone.ts';

/**
 * Whether a new version is due. Within the range of the day (the whole day without `start` and `stop`) on one of the days:
 * the first version at once, then one an interval, or one a range if there is no interval.
 */
export function isDue(source: TimeSource, previousMs: number | undefined, now: number): boolean {
  const zone = source.location ?? Zone.of('UTC');
  if (source.days.length > 0 && !source.days.includes(zone.weekday(now))) return false;
  if (source.startAfter && zone.instant(source.startAfter) >= now) return false;
  const { start, stop } = latestRange(source, zone, now);
  if (now < start || now >= stop) return false;
  if (previousMs === undefined) return true;
  return source.intervalMs === undefined ? previousMs < start : now - previousMs >= source.intervalMs;
}

/** The range of the day that began last. A range whose end is not after its start ends on the next day. */
function latestRange({ start, stop }: TimeSource, zone: Zone, now: number): { start: number; stop: number } {
  const today = zone.wallTime(now);
  const from = { ...today, hour: start?.hour ?? 0, minute: start?.minute ?? 0, second: 0 };
  const begins = zone.instant(from) > now ? zone.instant({ ...from, day: from.day - 1 }) : zone.instant(from);
  const until = { ...zone.wallTime(begins), hour: stop?.hour ?? 0, minute: stop?.minute ?? 0, second: 0 };
  const ends = zone.instant(until);
  return { start: begins, stop: ends > begins ? ends : zone.instant({ ...until, day: until.day + 1 }) };
}
