import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../values.ts';
import { goJsonText } from './json-text.ts';
import { parseJson } from './parse-json.ts';

test('[CFG-YAML6] reads JSON without rounding 64-bit integers', () => {
  const text = '{"a":12345678901234567890,"b":[-9007199254740993],"c":1.25,"d":"12345678901234567890"}';
  expect(JSON.stringify(parseJson(text))).toBe(text);
  expect(parseJson('[123456789012345678901234567890]')).toEqual([1.2345678901234568e29]);
});

test('[CFG-YAML6] reads all other JSON as everybody does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('[CFG-STEP7] writes JSON as Go does', () => {
  expect(goJsonText({ b: '<&>\u2028', a: [1, null, true], '\u{1F600}': 0, '\uFF5E': 1 } as Json)).toBe(
    '{"a":[1,null,true],"b":"\\u003c\\u0026\\u003e\\u2028","\uFF5E":1,"\u{1F600}":0}',
  );
});
