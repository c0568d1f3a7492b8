import { describe, expect, test } from 'vitest';
import { parseJson } from '../text/parse-json.ts';
import type { JsonObject } from '../values.ts';
import { formatInstanceVars } from './instance-vars.ts';
import { instanceVarsQuery } from './instance-vars-query.ts';

const query = (vars: JsonObject | undefined) => decodeURIComponent(instanceVarsQuery(vars));

describe('[CFG-VAR7] instance vars in a query', () => {
  test('have a parameter for each leaf, sorted, with the value as JSON', () => {
    expect(query({ branch: 'main', a: { c: [1], b: null } })).toBe('vars.a.b=null&vars.a.c=[1]&vars.branch="main"');
    expect(query({ a: {} })).toBe('vars.a={}');
    expect(query(parseJson('{"n":12345678901234567890}') as JsonObject)).toBe('vars.n=12345678901234567890');
  });

  test('have keys in quotes that hold a comma, dot, colon, slash or space', () => {
    expect(query({ 'x.y': { 'a:b': 1 } })).toBe('vars."x.y"."a:b"=1');
  });

  test('are one parameter where leaves cannot say it', () => {
    expect(query({})).toBe('vars={}');
    expect(query({ '"': 1, b: 2 })).toBe('vars={"\\"":1,"b":2}');
  });

  test('are absent for a pipeline without instance vars', () => {
    expect(query(undefined)).toBe('');
  });
});

test('[CFG-VAR8] writes instance vars as fly takes them in a pipeline name', () => {
  expect(formatInstanceVars({ branch: 'main', 'x.y': 'a b', env: { n: 1, t: 'true' } })).toBe(
    '"x.y":"a b",branch:main,env.n:1,env.t:"true"',
  );
});
