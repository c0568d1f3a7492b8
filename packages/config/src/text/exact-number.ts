import type { RawNumber } from '../values.ts';

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

// Part of ES2026, in Node since 21; not yet in the type library.
interface JsonWithRaw {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

/**
 * Whether a value is an integer that a JavaScript number would round. Code that walks a JSON tree must treat it as a
 * leaf.
 */
export function isRawNumber(value: unknown): value is RawNumber {
  return (JSON as unknown as JsonWithRaw).isRawJSON(value);
}

/**
 * The value of an integer: a number if that has the same digits, else a raw number, which `JSON.stringify` writes digit
 * for digit. Undefined when the integer does not fit 64 bits; it is then a float.
 */
export function integerValue(value: bigint): number | RawNumber | undefined {
  const asNumber = Number(value);
  if (String(asNumber) === value.toString()) return asNumber;
  if (value < INT64_MIN || value > UINT64_MAX) return undefined;
  return (JSON as unknown as JsonWithRaw).rawJSON(value.toString());
}
