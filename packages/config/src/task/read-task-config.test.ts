import { expect, test } from 'vitest';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { readTaskConfig } from './read-task-config.ts';

function message(text: string): string {
  const result = readTaskConfig(parseYaml(text));
  if (result.ok) throw new Error('it is a task');
  return result.message;
}

test('[CFG-TASK1] reads a file', () => {
  expect(
    readTaskConfig(
      parseYaml(`
platform: linux
image_resource: {type: registry-image, source: {repository: busybox}, version: {digest: 1}, tags: [""]}
container_limits: {cpu: 10, memory: 1kb}
params: {A: 1, B: ~, C: "((secret))"}
run: {path: sh, args: [-c, 5, yes], user: 1000}
inputs: [{name: src, path: ., optional: true}]
outputs: [{name: bin}]
caches: [{path: node_modules, ttl: 24h}]`),
    ),
  ).toEqual({
    ok: true,
    config: {
      platform: 'linux',
      image_resource: { type: 'registry-image', source: { repository: 'busybox' }, version: { digest: '1' } },
      container_limits: { cpu: 10, memory: 1024 },
      params: { A: '1', B: '', C: '((secret))' },
      run: { path: 'sh', args: ['-c', '5', 'true'], user: '1000' },
      inputs: [{ name: 'src', path: '.', optional: true }],
      outputs: [{ name: 'bin' }],
      caches: [{ path: 'node_modules', ttl: '24h' }],
    },
  });
});

test.each([
  ['{platform: linux, ouputs: [], zz: 1}', 'unknown fields: [ouputs zz]'],
  [
    '{run: x}',
    'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into a field of type object (at run)',
  ],
])('[CFG-TASK1] refuses %j', (text, expected) => {
  expect(message(text)).toBe(expected);
});

test('[CFG-TASK1] ignores unknown fields below the top, and the case of names', () => {
  const text = '{platform: linux, run: {PATH: sh, pth: x}, inputs: [{name: a, kind: b}], container_limits: {cpus: 2}}';
  expect(readTaskConfig(parseYaml(text))).toMatchObject({
    ok: true,
    config: { run: { path: 'sh' }, inputs: [{ name: 'a' }], container_limits: {} },
  });
});

test.each([
  ['', "missing 'platform'"],
  ['{platform: linux, inputs: [{name: a}, {}]}', '  input in position 1 is missing a name'],
  ['{platform: linux, outputs: [{path: a}]}', '  output in position 0 is missing a name'],
  ['{platform: linux, caches: [{path: a, ttl: soon}]}', "invalid cache ttl 'soon'"],
  ['{platform: linux, caches: [{path: a, ttl: 10ms}]}', "cache ttl must be at least 1s, got '10ms'"],
])('[CFG-TASK2] refuses %j', (text, expected) => {
  expect(message(text)).toBe(`invalid task configuration:\n${expected}`);
});

test('[CFG-TASK2] lets the image say what to run', () => {
  expect(readTaskConfig({ platform: 'linux' })).toEqual({ ok: true, config: { platform: 'linux', run: { path: '' } } });
});

/** The texts are those of Concourse 7.14.2, whose reader printed them. */
test.each([
  ['1.50', '1.5'],
  ['1e21', '1e+21'],
  ['1e-7', '1e-7'],
  ['1e6', '1000000'],
  ['0x1F', '31'],
  ['0755', '493'],
  ['08', '8'],
  ['0b11', '3'],
  ['1_000', '1000'],
  ['.5', '0.5'],
  ['1.', '1'],
  ['+5', '5'],
  ['-0.0', '0'],
  ['123456789012345678901234', '1.2345678901234569e+23'],
  ['100000000000000000000.5', '100000000000000000000'],
  ['3.14159265358979', '3.14159265358979'],
  ['yes', 'true'],
  ['off', 'false'],
  ['~', ''],
  ['""', ''],
  ['2020-01-01', '2020-01-01'],
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  ['12:30', '12:30'],
  ['!!float 5', '5'],
  ['[1, a]', '[1,"a"]'],
  ['{x: 1, b: "<&>"}', '{"b":"\\u003c\\u0026\\u003e","x":1}'],
])('[CFG-STEP7] the param %s is the text %j', (written, text) => {
  expect(readTaskConfig(parseYaml(`{platform: linux, params: {p: ${written}}}`))).toMatchObject({
    config: { params: { p: text } },
  });
});
