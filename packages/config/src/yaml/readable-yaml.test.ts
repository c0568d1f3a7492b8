import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../text/parse-json.ts';
import { parseYaml } from './parse-yaml.ts';
import { readableYaml } from './readable-yaml.ts';

test('[CFG-YAML15] written YAML is read back as the same value', () => {
  const text = fc.oneof(fc.constantFrom('yes', 'on', '1:30', '0x1', '~', ' a\n b\n', '- x', '#'), fc.string());
  const value = fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.integer(), fc.array(text)));
  fc.assert(
    fc.property(value, (written) => {
      expect(parseYaml(readableYaml(written))).toEqual(written);
    }),
  );
});

test('[CFG-YAML15] written YAML has the order and the digits of the value', () => {
  const value = parseJson('{"b":12345678901234567890,"a":["one\\ntwo\\n"]}');
  expect(readableYaml(value)).toBe('b: 12345678901234567890\na:\n- |\n  one\n  two\n');
});
