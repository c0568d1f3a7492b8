import { Zone } from './zone.ts';

/** An instant as a version has it: RFC 3339, to the nanosecond. */
export interface Timestamp {
  readonly ms: number;
  /** Digits of the second's fraction, without zeros at the end. */
  readonly fraction: string;
}

/** Throws for a text that is not RFC 3339. */
export function parseTimestamp(text: string): Timestamp {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  const seconds = match ? Date.parse(`${match[1]}${match[3]}`) : Number.NaN;
  if (!match || Number.isNaN(seconds)) throw new Error(`not a time (RFC 3339): ${JSON.stringify(text)}`);
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  return { ms: seconds + Number(fraction.slice(0, 3).padEnd(3, '0')), fraction };
}

export function timestampOf(ms: number): Timestamp {
  return {
    ms,
    fraction: String(ms % 1000)
      .padStart(3, '0')
      .replace(/0+$/, ''),
  };
}

/** RFC 3339 in the zone. */
export function formatTimestamp({ ms, fraction }: Timestamp, zone: Zone = Zone.of('UTC')): string {
  const { date, time } = partsOf(ms, zone);
  const offset = zone.offset(ms);
  return `${date}T${time}${fraction && `.${fraction}`}${offset === 0 && zone.name === 'UTC' ? 'Z' : offsetText(offset, ':')}`;
}

/** `2006-01-02 15:04:05.999999999 -0700 MST`, the form of the file `timestamp`. */
export function describeTimestamp({ ms, fraction }: Timestamp, zone: Zone): string {
  const { date, time } = partsOf(ms, zone);
  const names = new Intl.DateTimeFormat('en-US', { timeZone: zone.name, timeZoneName: 'short' }).formatToParts(ms);
  const name = names.find(({ type }) => type === 'timeZoneName')?.value ?? zone.name;
  return `${date} ${time}${fraction && `.${fraction}`} ${offsetText(zone.offset(ms), '')} ${name}`;
}

function partsOf(ms: number, zone: Zone): { date: string; time: string } {
  const shown = new Date(ms + zone.offset(ms)).toISOString();
  return { date: shown.slice(0, 10), time: shown.slice(11, 19) };
}

function offsetText(offset: number, colon: string): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes === 0 && colon === ':') return 'Z';
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`;
}
