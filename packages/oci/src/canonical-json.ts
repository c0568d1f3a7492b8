import { OciError } from './oci-error.ts';

/**
 * JSON with sorted keys and no white space, so that equal values have equal bytes and so equal digests.
 * Leaves out members that are undefined; refuses values that JSON cannot express (NaN, functions, undefined in an array).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new OciError('bad-value', `JSON cannot express ${String(value)}`);
}
