import { isRawNumber } from './exact-number.ts';
import { compareBytes } from './json-text.ts';

// Values and their types as Go prints them, for Concourse's own messages.

/** A value as Go prints it in a sentence: `map[a:1 b:x]`, `[1 2]`, `<nil>`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const pairs = Object.entries(value).sort(([a], [b]) => compareBytes(a, b));
  return `map[${pairs.map(([key, item]) => `${key}:${goValue(item)}`).join(' ')}]`;
}

/** The name of a value's type in Go. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || isRawNumber(value)) return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** A list of names as Go quotes it: `["a" "b"]`. */
export function goQuotedList(names: readonly string[]): string {
  return `[${names.map(goQuote).join(' ')}]`;
}

/** Text in quotes, with everything but ASCII escaped. */
function goQuote(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) as number;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
