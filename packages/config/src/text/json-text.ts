import type { Json } from '../values.ts';
import { isRawNumber } from './exact-number.ts';

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
