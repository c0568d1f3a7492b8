import { ConfigError } from '../error.ts';
import { integerValue } from '../text/exact-number.ts';
import type { Json } from '../values.ts';

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
]);

const NOT_FINITE = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const TIMESTAMP = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}.*)?$/;

type ScalarTag = 'str' | 'bool' | 'int' | 'float' | 'null' | 'timestamp';

/**
 * The value of an unquoted scalar, by the rules of Concourse's YAML reader: YAML 1.1 words for booleans, a leading zero
 * for octal, underscores in numbers, but no base 60. A date stays text.
 */
export function plainScalar(text: string): Json {
  return resolve(text).value;
}

/** The value of a scalar with an explicit tag such as `!!int`. With a tag that is not YAML's own it is text. */
export function taggedScalar(tag: string, text: string): Json {
  if (tag === 'binary') return decodeBase64(text);
  if (tag === 'str' || !isScalarTag(tag)) return text;
  const resolved = resolve(text);
  if (resolved.tag === tag || (tag === 'float' && resolved.tag === 'int')) return resolved.value;
  throw new ConfigError('invalid-yaml', `cannot decode !!${resolved.tag} \`${text}\` as a !!${tag}`);
}

function isScalarTag(tag: string): tag is ScalarTag {
  return ['str', 'bool', 'int', 'float', 'null', 'timestamp'].includes(tag);
}

function resolve(text: string): { readonly tag: ScalarTag; readonly value: Json } {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return { tag: constant === null ? 'null' : 'bool', value: constant };
  if (NOT_FINITE.test(text)) {
    throw new ConfigError('invalid-yaml', `${text} is not a number that JSON can hold; quote it if it is text`);
  }
  if (!/^[-+.0-9]/.test(text)) return { tag: 'str', value: text };
  if (TIMESTAMP.test(text)) return { tag: 'timestamp', value: text };
  const digits = text.replaceAll('_', '');
  const integer = parseInteger(digits);
  if (integer !== undefined) {
    const value = integerValue(integer);
    if (value !== undefined) return { tag: 'int', value };
  }
  return float(digits, text);
}

/** Digits in base 2, 8, 10 or 16 by their prefix. Undefined when a digit does not belong to the base, as in `08`. */
function parseInteger(text: string): bigint | undefined {
  const match = /^([-+]?)(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)$/.exec(text);
  if (match === null) return undefined;
  const digits = match[2] as string;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return match[1] === '-' ? -magnitude : magnitude;
}

function float(digits: string, text: string): { readonly tag: ScalarTag; readonly value: Json } {
  const value = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
}

function decodeBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    throw new ConfigError('invalid-yaml', '!!binary value contains invalid base64 data');
  }
  return Buffer.from(compact, 'base64').toString();
}
