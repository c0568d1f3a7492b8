import { describe, expect, test } from 'vitest';
import { decodeYaml, parseYaml } from './parse-yaml.ts';

describe('scalars', () => {
  test.each([
    ['y', true],
    ['Yes', true],
    ['ON', true],
    ['n', false],
    ['no', false],
    ['Off', false],
    ['tRue', 'tRue'],
    ['~', null],
    ['Null', null],
    ['', null],
    ['0755', 493],
    ['-0755', -493],
    ['08', 8],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['+5', 5],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['1e400', '1e400'],
    ['1:30', '1:30'],
    ['2020-01-02', '2020-01-02'],
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['1.2.3', '1.2.3'],
    ['0x', '0x'],
    ['"y"', 'y'],
    ["'0755'", '0755'],
  ])('[CFG-YAML1] %s', (text, value) => {
    expect(parseYaml(`a: ${text}`)).toEqual({ a: value });
  });

  test('[CFG-YAML1] refuses numbers that JSON cannot hold', () => {
    expect(() => parseYaml('a:\n  b: .inf')).toThrow('yaml: line 2: .inf is not a number that JSON can hold');
  });

  test.each([
    ['!!str 3', '3'],
    ['!!int "3"', 3],
    ['!!float 3', 3],
    ['!!bool "yes"', true],
    ['!!binary aGVsbG8=', 'hello'],
    ['!mine 3', '3'],
    ['! 3', '3'],
  ])('[CFG-YAML7] %s', (text, value) => {
    expect(parseYaml(`a: ${text}`)).toEqual({ a: value });
  });

  test('[CFG-YAML7] refuses a tag that the text does not fit', () => {
    expect(() => parseYaml('a: !!int x')).toThrow('cannot decode !!str `x` as a !!int');
    expect(() => parseYaml('a: !!binary "@"')).toThrow('invalid base64');
  });

  test('[CFG-YAML6] keeps the digits of 64-bit integers and rounds larger ones', () => {
    expect(JSON.stringify(parseYaml('[18446744073709551615, -9223372036854775808, 123456789012345678]'))).toBe(
      '[18446744073709551615,-9223372036854775808,123456789012345678]',
    );
    expect(parseYaml('a: 18446744073709551616')).toEqual({ a: 18446744073709552000 });
  });
});

describe('maps', () => {
  test('[CFG-YAML2] makes text of every key', () => {
    expect(parseYaml('{on: 1, 2: 3, 1.5: x, "no": y}')).toEqual({ true: 1, '2': 3, '1.5': 'x', no: true });
  });

  test.each(['~: 1', '[a]: 1', '{a: b}: 1'])('[CFG-YAML2] refuses the key of %s', (text) => {
    expect(() => parseYaml(text)).toThrow('a map key must be text, a number or a boolean');
  });

  test('[CFG-YAML2] keeps a key named as a property of all objects', () => {
    expect(Object.entries(parseYaml('__proto__: 1') as object)).toEqual([['__proto__', 1]]);
  });

  test('[CFG-YAML3] refuses a key written twice, and says where', () => {
    expect(() => parseYaml('a:\n  b: 1\n  c: 2\n  b: 3')).toThrow('line 4: key "b" already set in map');
    expect(() => parseYaml('{true: 1, on: 2}')).toThrow('key "true" already set in map');
  });

  test('[CFG-YAML3] in a task file the last of equal keys wins', () => {
    const text = 'a: 1\nb: {c: 1, c: 2}\na: 3';
    expect(parseYaml(text, { lastKeyWins: true })).toEqual({ a: 3, b: { c: 2 } });
  });

  test.each([
    ['a key in quotes merges, too', 'm: {"<<": {k: 3}}', { k: 3 }],
    ['a key after the merge wins', 'x: &x {k: 1, l: 1}\nm: {<<: *x, k: 2}', { k: 2, l: 1 }],
    ['the merge after a key wins', 'x: &x {k: 1, l: 1}\nm: {k: 2, <<: *x}', { k: 1, l: 1 }],
    ['of a list the first wins', 'x: &x {k: 1}\nz: &z {k: 2, l: 2}\nm: {<<: [*x, *z]}', { k: 1, l: 2 }],
    ['a map of its own', 'm: {<<: {k: 3}}', { k: 3 }],
  ])('[CFG-YAML4] %s', (_, text, merged) => {
    expect(parseYaml(text)).toMatchObject({ m: merged });
  });

  test('[CFG-YAML4] merges nothing but maps', () => {
    expect(() => parseYaml('x: &x 1\nm:\n  <<: *x')).toThrow('map merge requires map or sequence of maps as the value');
    expect(() => parseYaml('<<: [[{a: 1}]]')).toThrow('map merge requires map or sequence of maps as the value');
  });
});

describe('documents', () => {
  test('[CFG-YAML5] an alias is the anchor last seen', () => {
    expect(parseYaml('[&x 1, *x, &x 2, *x]')).toEqual([1, 1, 2, 2]);
  });

  test('[CFG-YAML5] refuses aliases to nowhere and to themselves', () => {
    expect(() => parseYaml('a: *x\nb: &x 1')).toThrow("line 1: unknown anchor 'x' referenced");
    expect(() => parseYaml('a: &x [*x]')).toThrow("anchor 'x' value contains itself");
  });

  test('[CFG-YAML5] refuses aliases that multiply without bound', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inside = level === 0 ? 'x' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array(10).fill(inside).join(', ')}]`;
    });
    expect(() => parseYaml(levels.join('\n'))).toThrow('document contains excessive aliasing');
  });

  test.each([150, 1000, 20_000])('[CFG-YAML9] refuses %i levels of nesting, and overflows no stack', (levels) => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(() => parseYaml(nested(levels + 100))).toThrow(/^yaml: .*nested/);
    expect(parseYaml(nested(150))).toBeInstanceOf(Array);
  });

  test('[CFG-YAML9] refuses a long text that aliases repeat', () => {
    const repeat = (times: number) => `a: &a ${'x'.repeat(20_000)}\nb: [${'*a,'.repeat(times)}]`;
    expect(() => parseYaml(repeat(1000))).toThrow('yaml: the document has more than 16777216 characters of text');
    expect(parseYaml(repeat(500))).toMatchObject({ a: 'x'.repeat(20_000) });
  });

  test.each([
    ['a: |\n  x', 'x'],
    ['a: |\n  x\n', 'x\n'],
    ['a: |\n  x\n\n', 'x\n'],
    ['a: |\n  x\n  ', 'x\n'],
    ['a: |+\n  x\n\n', 'x\n\n'],
    ['a: |+\n  x', 'x'],
    ['a: |-\n  x', 'x'],
    ['a: >\n  x\n  y', 'x y'],
    ['a: |\n  x # no comment', 'x # no comment'],
  ])('[CFG-YAML10] the block scalar of %j ends as its file does', (text, value) => {
    expect(parseYaml(text)).toEqual({ a: value });
  });

  test.each([
    ['k:\n    passed: [a,\n    b]', { k: { passed: ['a', 'b'] } }],
    ['- get: x\n  passed: [a,\n b,\n]', [{ get: 'x', passed: ['a', 'b'] }]],
    ["a:\n  b: {x: 1,\n  z: [2,\n3]\n}\n  c: it's", { a: { b: { x: 1, z: [2, 3] }, c: "it's" } }],
    ['  A: "x\n  y"', { A: 'x y' }],
    ["a:\n  - 'x\n  it''s'\n  - b", { a: ["x it's", 'b'] }],
    ['s: |\n  [ not a list\nk:\n  l: [1,\n  2]', { s: '[ not a list\n', k: { l: [1, 2] } }],
    ['- run: |\n    echo "[\n  l: [1, # one\n  2]', [{ run: 'echo "[\n', l: [1, 2] }]],
  ])('[CFG-YAML11] %j continues at or to the left of its key', (text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });

  test('[CFG-YAML11] the message about a text that stays wrong names its own line', () => {
    expect(() => parseYaml('a: [1,\nb: 2')).toThrow(/^yaml: line 2: /);
  });

  test('[CFG-YAML12] refuses bytes that are not UTF-8, and control characters', () => {
    expect(() => decodeYaml(Buffer.from('name: \xe9t\xe9', 'latin1'))).toThrow('yaml: the text is not UTF-8');
    expect(decodeYaml(Buffer.from('name: été'))).toBe('name: été');
    const utf16 = Buffer.from('\ufeffname: été', 'utf16le');
    expect(parseYaml(decodeYaml(utf16))).toEqual({ name: 'été' });
    expect(parseYaml(decodeYaml(utf16.swap16()))).toEqual({ name: 'été' });
    expect(() => parseYaml('a: "x\0"')).toThrow('yaml: control characters are not allowed');
    expect(parseYaml('a: "x\ty\u00a0🚀"')).toEqual({ a: 'x\ty\u00a0🚀' });
  });

  test.each(['a: "\\ud83d"', 'a: "x\\ude80 y"', 'a: "\\ude80\\ud83d"', '"\\udc00": 1', 'a: ["\\U0000d800"]'])(
    '[CFG-YAML12] refuses the half of a character in %s',
    (text) => {
      expect(() => parseYaml(text)).toThrow(/^yaml: line 1: /);
    },
  );

  test('[CFG-YAML12] reads a character that is written as two escapes', () => {
    expect(parseYaml('a: "\\ud83d\\ude80"')).toEqual({ a: '🚀' });
  });

  test('[CFG-YAML8] reads the first document only', () => {
    expect(parseYaml('--- {a: 1}\n---\n{b: [\n')).toEqual({ a: 1 });
    expect(parseYaml('')).toBeNull();
    expect(parseYaml('# nothing')).toBeNull();
  });

  test('[CFG-YAML8] names the line of a syntax error', () => {
    expect(() => parseYaml('a: 1\nb: "x')).toThrow(/^yaml: line 2: /);
  });
});

test.each(['\r', '\u0085', '\r\n'])('[CFG-YAML13] a line may end with %j', (end) => {
  expect(parseYaml(['a: 1', 'b: |', '  x', '  y', 'c: "p', '  q"', ''].join(end))).toEqual({
    a: 1,
    b: 'x\ny\n',
    c: 'p q',
  });
});

test('[CFG-YAML14] a line of a million characters is read in a moment', () => {
  const long = 'x'.repeat(1_000_000);
  expect(parseYaml(`a: "${long}"\nb: |\n  c`)).toEqual({ a: long, b: 'c' });
});
