import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../text/parse-json.ts';
import type { Json, JsonObject } from '../values.ts';
import { interpolate } from './interpolate.ts';
import { firstOf, namedLookups, staticLookup } from './lookup.ts';
import { formatReference, parseReference } from './reference.ts';

const vars: JsonObject = {
  s: 'text',
  n: 5,
  f: 1.5,
  b: true,
  nul: null,
  list: [1, 'x'],
  m: { k: 'v', 'a.b': { c: 'deep' } },
  'x.y': 'dotted',
  'p/q': 'slash',
  inner: '((s))',
  big: (parseJson('[12345678901234567890]') as Json[])[0] as Json,
};

function fill(tree: Json, allowMissing = false): Promise<Json> {
  return interpolate(tree, staticLookup(vars), { allowMissing });
}

describe('references', () => {
  test.each([
    ['a', { path: 'a', fields: [] }],
    ['a.b.c', { path: 'a', fields: ['b', 'c'] }],
    ['src:a.b', { source: 'src', path: 'a', fields: ['b'] }],
    ['.:a', { source: '.', path: 'a', fields: [] }],
    ['vs:"a.b:c".key', { source: 'vs', path: 'a.b:c', fields: ['key'] }],
    ['a/b', { path: 'a/b', fields: [] }],
  ])('[CFG-VAR1] %s', (name, reference) => {
    expect(parseReference(name)).toEqual(reference);
    expect(parseReference(formatReference(reference))).toEqual(reference);
  });

  test.each([
    ['"src":a', `invalid var '"src":a': source must not be quoted`],
    ['a.', "invalid var 'a.': empty field"],
    ['.a', "invalid var '.a': empty field"],
    ['a..b', "invalid var 'a..b': empty field"],
    ['src:', "invalid var 'src:': empty field"],
  ])('[CFG-VAR1] refuses %s', async (name, message) => {
    expect(() => parseReference(name)).toThrow(message);
    await expect(fill(`((${name}))`)).rejects.toThrow(message);
  });

  test.each(['(( s ))', '((s', '((s t))', '{{s}}'])('[CFG-VAR1] %s is none', async (text) => {
    expect(await fill(text)).toBe(text);
  });
});

describe('values', () => {
  test.each<[string, Json]>([
    ['((s))', 'text'],
    ['((n))', 5],
    ['((b))', true],
    ['((nul))', null],
    ['((list))', [1, 'x']],
    ['((m))', vars['m'] as Json],
    ['((m."a.b".c))', 'deep'],
    ['(("x.y"))', 'dotted'],
    ['((p/q))', 'slash'],
    ['a-((s))-((n))-((f))', 'a-text-5-1.5'],
    ['id=((big))', 'id=12345678901234567890'],
    ['(((s)))', '(text)'],
    ['((s))((s))', 'texttext'],
    ['((inner))', '((s))'],
    ['x((inner))', 'x((s))'],
  ])('[CFG-VAR2] %s', async (text, value) => {
    expect(await fill([text])).toEqual([value]);
  });

  test.each([
    ['list', '[]interface {}'],
    ['m', 'map[string]interface {}'],
    ['b', 'bool'],
    ['nul', '<nil>'],
  ])('[CFG-VAR2] refuses %s within text', async (name, type) => {
    const message = `cannot interpolate non-primitive value (${type}) from var: ${name}`;
    await expect(fill(`a((${name}))`)).rejects.toThrow(message);
  });

  test('[CFG-VAR3] fills in keys', async () => {
    expect(await fill({ '((s))-1': 1, '((n))': { '((s))': '((s))' } })).toEqual({ 'text-1': 1, '5': { text: 'text' } });
    await expect(fill({ '((list))': 1 })).rejects.toThrow('cannot interpolate non-primitive value');
  });

  test('[CFG-VAR4] reports all that is missing together, sorted', async () => {
    const tree = { a: ['((z))', 'x((q.c))((a))'], '((key))': '((s)) ((z))' };
    await expect(fill(tree)).rejects.toThrow(/^undefined vars: a, key, q\.c, z$/);
    expect(await fill(tree, true)).toEqual({ a: ['((z))', 'x((q.c))((a))'], '((key))': 'text ((z))' });
  });

  test('[CFG-VAR5] refuses fields that are not there', async () => {
    await expect(fill('((m.zz))', true)).rejects.toThrow("missing field 'zz' in var: m.zz");
    await expect(fill('((s.k))', true)).rejects.toThrow(
      "cannot access field 'k' of non-map value ('string') from var: s.k",
    );
  });

  test('[CFG-VAR5] asks each source in turn, and refuses one that is not there', async () => {
    const named = namedLookups({ '.': staticLookup({ l: 'local' }), vault: async ({ path }) => `secret ${path}` });
    const lookup = firstOf([staticLookup({ a: 1 }), staticLookup({ a: 2, b: 3 }), named]);
    const options = { allowMissing: false };
    expect(await interpolate(['((a))', '((b))', '((.:l))', '((vault:x))'], lookup, options)).toEqual([
      1,
      3,
      'local',
      'secret x',
    ]);
    await expect(interpolate('((nope:x))', lookup, options)).rejects.toThrow("missing source 'nope' in var: nope:x");
    await expect(interpolate('((.:x))', lookup, options)).rejects.toThrow('undefined vars: .:x');
  });
});

describe('any tree', () => {
  const plain = fc
    .jsonValue({ maxDepth: 3 })
    .filter((value) => !JSON.stringify(value).includes('((')) as fc.Arbitrary<Json>;

  test('[CFG-VAR6] is unchanged without references, and nothing is asked', async () => {
    await fc.assert(
      fc.asyncProperty(plain, async (tree) => {
        const asked: string[] = [];
        const lookup = ({ path }: { path: string }) => {
          asked.push(path);
          return 'x';
        };
        expect(await interpolate(tree, lookup, { allowMissing: false })).toEqual(tree);
        expect(asked).toEqual([]);
      }),
    );
  });

  test('[CFG-VAR6] gets each value where its reference stands, itself untouched', async () => {
    await fc.assert(
      fc.asyncProperty(plain, plain, plain, async (before, value, after) => {
        const tree = [before, { key: '((v))', more: ['((v))'] }, after];
        const copy = structuredClone(tree);
        const filled = await interpolate(tree as Json, staticLookup({ v: value }), { allowMissing: false });
        expect(filled).toEqual([before, { key: value, more: [value] }, after]);
        expect(tree).toEqual(copy);
      }),
    );
  });
});
