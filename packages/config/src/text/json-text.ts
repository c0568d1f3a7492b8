import { ConfigError } from '../error.ts';
import type { Json } from '../values.ts';
import { integerValue, isRawNumber } from './exact-number.ts';

/** Parses JSON without rounding large integers. Throws a ConfigError if the text is not JSON. */
export function parseJson(text: string): Json {
  try {
    // Only a text with this many digits in a row can hold an integer that would be rounded.
    if (!/\d{16}/.test(text)) return JSON.parse(text);
    return JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown);
  } catch (error) {
    throw new ConfigError('invalid-json', (error as Error).message, { cause: error });
  }
}

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const { source } = context;
  if (source === undefined || !/^-?\d+$/.test(source)) return value;
  return integerValue(BigInt(source)) ?? value;
}

/**
 * JSON as Go writes it: keys in byte order, and HTML's special characters escaped. A task sees this text when a param
 * is an object or a list.
 */
export function goJsonText(value: Json): string {
  if (typeof value === 'string') return goString(value);
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(goJsonText).join(',')}]`;
  const pairs = Object.entries(value as Record<string, Json>).sort(([a], [b]) => compareBytes(a, b));
  return `{${pairs.map(([key, item]) => `${goString(key)}:${goJsonText(item)}`).join(',')}}`;
}

function goString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Orders strings as Go does: by their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
