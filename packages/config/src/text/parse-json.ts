import { ConfigError } from '../error.ts';
import type { Json } from '../values.ts';
import { integerValue } from './exact-number.ts';

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
