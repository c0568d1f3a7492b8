import * as v from 'valibot';
import { keep, type lenientObject } from '../fields.ts';
import { isRawNumber } from '../text/exact-number.ts';

const MEMORY = /^([0-9]+)(?:([KMG])i?B?)?$/i;
const MULTIPLES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };
const BAD_MEMORY = 'could not parse container memory limit';

const cpu = v.pipe(
  v.custom<number>((value) => typeof value === 'number' && value >= 0, 'cpu limit must be an integer'),
  v.transform(Math.trunc),
);

const memory = v.pipe(
  v.custom<number | string>((value) => parseMemory(value) !== undefined, BAD_MEMORY),
  v.transform((value) => parseMemory(value) as number),
);

/**
 * `{cpu, memory}`. Memory is in bytes or has a unit, and units are powers of two: `1KB` is 1024. `object` decides about
 * unknown fields.
 */
export function containerLimits(object: typeof lenientObject) {
  return object({ cpu: keep(cpu), memory: keep(memory) });
}

/** A number of bytes, or a text with a unit, in bytes. Undefined: it is something else. */
export function parseMemory(value: unknown): number | undefined {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (typeof value === 'number') return value >= 0 ? Math.trunc(value) : undefined;
  const match = typeof value === 'string' ? MEMORY.exec(value) : null;
  if (match === null) return undefined;
  return Number(match[1]) * (MULTIPLES[(match[2] ?? '').toUpperCase()] ?? 1);
}
