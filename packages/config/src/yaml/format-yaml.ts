import { stringify } from 'yaml';
import { compareBytes } from '../text/json-text.ts';
import type { Json } from '../values.ts';
import { exactNumbers, YAML_STYLE } from './readable-yaml.ts';

interface Keyed {
  readonly key: unknown;
}

/** Writes YAML as Concourse does: block style, keys in byte order, lists as far left as their key. */
export function formatYaml(value: Json): string {
  const sortMapEntries = (a: Keyed, b: Keyed) => compareBytes(String(a.key), String(b.key));
  return stringify(value, exactNumbers, { ...YAML_STYLE, sortMapEntries });
}
