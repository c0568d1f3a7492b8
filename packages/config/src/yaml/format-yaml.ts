import { stringify } from 'yaml';
import { isRawNumber } from '../text/exact-number.ts';
import { compareBytes } from '../text/json-text.ts';
import type { Json } from '../values.ts';

/** Writes YAML as Concourse does: block style, keys in byte order, lists as far left as their key. */
export function formatYaml(value: Json): string {
  return stringify(value, exactNumbers, {
    version: '1.1',
    sortMapEntries: (a, b) => compareBytes(String(a.key), String(b.key)),
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

function exactNumbers(_key: unknown, value: unknown): unknown {
  return isRawNumber(value) ? BigInt(value.rawJSON) : value;
}
