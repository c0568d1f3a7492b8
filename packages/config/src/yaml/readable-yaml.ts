import { stringify } from 'yaml';
import { isRawNumber } from '../text/exact-number.ts';
import type { Json } from '../values.ts';

/** Block style, lists as far left as their key, no line broken. */
export const YAML_STYLE = { version: '1.1', indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Writes YAML for people who read and change it: keys in the order in which the value has them. */
export function readableYaml(value: Json): string {
  return stringify(value, exactNumbers, YAML_STYLE);
}

export function exactNumbers(_key: unknown, value: unknown): unknown {
  return isRawNumber(value) ? BigInt(value.rawJSON) : value;
}
