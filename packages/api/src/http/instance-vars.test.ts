import { goJsonText, instanceVarsQuery } from '@seaplane/config';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInstanceVars } from './instance-vars.ts';

const parse = (query: string) => parseInstanceVars(new URLSearchParams(query));

test('[API-VARS1] no vars and an empty object are different pipelines', () => {
  expect(parse('')).toBeUndefined();
  expect(parse('other=1')).toBeUndefined();
  expect(parse('vars={}')).toEqual({});
});

test('[API-VARS2] leaves, quoted keys and a whole object are combined', () => {
  expect(parse('vars.branch="main"&vars.a.b=1&vars."x.y"=true')).toEqual({ branch: 'main', a: { b: 1 }, 'x.y': true });
  expect(parse('vars.b=2&vars={"a":1,"b":1}')).toEqual({ a: 1, b: 2 });
});

test('[API-VARS3] a value that is not JSON, and vars that are not an object, are refused', () => {
  expect(() => parse('vars.a=main')).toThrow();
  expect(() => parse('vars=1')).toThrow('vars is not a JSON object');
  expect(() => parse('vars=[]')).toThrow('vars is not a JSON object');
});

test('[API-VARS4] the instance vars of a link are read back as they were', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (vars) => {
      const plain = JSON.parse(JSON.stringify(vars)) as Record<string, never>;
      expect(goJsonText(parse(instanceVarsQuery(plain)) ?? null)).toBe(goJsonText(plain));
    }),
  );
});

test('[API-VARS5] large integers keep their digits', () => {
  expect(JSON.stringify(parse('vars.id=12345678901234567890'))).toBe('{"id":12345678901234567890}');
});
