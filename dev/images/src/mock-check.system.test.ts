import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { fatal, info, type MockOptions, type MockPrograms, mockPrograms } from './testing/mock-programs.ts';
import { whyNoImages } from './testing/why-no-images.ts';

const test = anyTest.skipIf(whyNoImages());

let mock: MockPrograms;
beforeAll(async () => {
  mock = await mockPrograms();
});
afterAll(() => mock[Symbol.asyncDispose]());

function check(source: object, version?: object | null, options?: MockOptions) {
  return mock.run('check', { source, version }, options);
}

describe('requests', () => {
  const refused: [string, 'check' | 'in' | 'out', unknown][] = [
    ['an unknown top-level field', 'check', { source: {}, team: 'main' }],
    ['params in a check', 'check', { source: {}, params: {} }],
    ['an unknown source field', 'check', { source: { mirror: true } }],
    ['a field in other letters', 'check', { source: { Log: 'x' } }],
    ['an unknown version field', 'check', { source: {}, version: { ref: 'x' } }],
    ['an unknown get param', 'in', { source: {}, params: { create_files: {} } }],
    ['an unknown put param', 'out', { source: {}, params: { version: 'x', specified: 'y' } }],
    ['an unknown metadata field', 'check', { source: { metadata: [{ name: 'a', value: 'b', extra: 'c' }] } }],
    ['a number for a string', 'check', { source: { initial_version: 1 } }],
    ['a string for a boolean', 'check', { source: { mirror_self: 'true' } }],
    ['an array for an object', 'in', { source: { create_files: [] } }],
    ['an object for an array', 'check', { source: { metadata: {} } }],
    ['a version that is a string', 'check', { source: {}, version: 'x' }],
    ['a number in a version', 'check', { source: {}, version: { version: 4 } }],
    ['a source that is an array', 'check', { source: [] }],
    ['a request that is an array', 'check', []],
    ['a request that is cut short', 'check', '{"source": {'],
    ['no request', 'check', ''],
  ];
  test.each(refused)('[MOCK2] [MOCK4] refuses %s', async (_what, action, request) => {
    const { code, stdout, stderr } = await mock.run(action, request, { args: [await mock.directory()] });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith('\x1b[31mFATA\x1b[0m[0000] invalid payload: ')).toBe(true);
    expect(stderr.indexOf('\n')).toBe(stderr.length - 1);
  });

  test('[MOCK2] null is the same as absent', async () => {
    const nulls = { log: null, initial_version: null, mirror_self: null, create_files: null, metadata: null };
    expect(await check(nulls, null)).toEqual(await check({}));
    expect(await mock.run('check', { source: null, version: null })).toEqual(await check({}));
  });

  test('[MOCK1] reads one value, answers with one line', async () => {
    const { code, stdout } = await mock.run('check', '{"source":{}} and more');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[{"version":"mock"}]\n' });
  });
});

describe('log', () => {
  test('[MOCK3] [MOCK5] a short message is padded to 44 characters', async () => {
    const { stderr } = await check({ log: 'defaulted' });
    expect(stderr).toBe(`\x1b[36mINFO\x1b[0m[0000] defaulted${' '.repeat(35)} \n`);
  });

  test('[MOCK3] characters are counted, not bytes', async () => {
    expect((await check({ log: 'é→😀' })).stderr).toBe(`\x1b[36mINFO\x1b[0m[0000] é→😀${' '.repeat(41)} \n`);
  });

  test('[MOCK3] a long message is not cut, one line end is dropped', async () => {
    const long = 'x'.repeat(300);
    expect((await check({ log: long })).stderr).toBe(`\x1b[36mINFO\x1b[0m[0000] ${long} \n`);
    expect((await check({ log: 'a\nb\n\n' })).stderr).toBe(`\x1b[36mINFO\x1b[0m[0000] a\nb\n${' '.repeat(40)} \n`);
  });
});

describe('check', () => {
  test('[MOCK3] [MOCK7] [MOCK8] sleeps before it answers; seconds in log lines count from the start', async () => {
    const { stderr } = await check({ check_delay: '1100ms', check_failure: 'late' });
    expect(stderr).toBe(fatal('intentionally failing to check: late').replace('[0000]', '[0001]'));
  });

  test.each(['0', '1ns', '5us', '1µs', '1μs', '.01s', '1.ms', '0h0m0.01s', '-1h', '+1ms'])(
    '[MOCK7] %s is a duration',
    async (check_delay) => {
      expect((await check({ check_delay })).code).toBe(0);
    },
  );

  test.each(['1', 's', '.s', '1x', '1s ', ' 1s', '1m2', '1S', '--1s', 'ten seconds'])(
    '[MOCK7] "%s" is not a duration',
    async (check_delay) => {
      const { code, stderr } = await check({ check_delay });
      expect({ code, stderr }).toEqual({ code: 1, stderr: fatal(`malformed check_delay duration: ${check_delay}`) });
    },
  );

  test('[MOCK4] [MOCK8] fails on request, after the log line', async () => {
    const outcome = await check({ log: 'first', check_failure: 'super broken' }, { version: 'x' });
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: info('first') + fatal('intentionally failing to check: super broken'),
    });
  });

  const answers: [string, object, object | null, string][] = [
    ['force_version beats all', { force_version: 'f', initial_version: 'i' }, { version: 'v' }, '[{"version":"f"}]\n'],
    ['force_version without a version', { force_version: 'f', no_initial_version: true }, null, '[{"version":"f"}]\n'],
    ['the version is echoed', { initial_version: 'i' }, { version: 'v' }, '[{"version":"v"}]\n'],
    ['whatever it holds', {}, { version: '<é>"' }, '[{"version":"\\u003cé\\u003e\\""}]\n'],
    ['also an empty one', { initial_version: 'i' }, {}, '[{"version":""}]\n'],
    ['and its privileged', {}, { version: 'v', privileged: 'true' }, '[{"version":"v","privileged":"true"}]\n'],
    ['also with no_initial_version', { no_initial_version: true }, { version: 'v' }, '[{"version":"v"}]\n'],
    ['no_initial_version', { no_initial_version: true, initial_version: 'i' }, null, '[]\n'],
    ['initial_version', { initial_version: 'i' }, null, '[{"version":"i"}]\n'],
    ['nothing given', {}, null, '[{"version":"mock"}]\n'],
  ];
  test.each(answers)('[MOCK9] %s', async (_what, source, version, stdout) => {
    expect(await check(source, version)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('[MOCK10] $MIRRORED_VERSION is the default initial version', async () => {
    const env = { MIRRORED_VERSION: 'mirrored' };
    expect((await check({}, null, { env })).stdout).toBe('[{"version":"mirrored"}]\n');
    expect((await check({ initial_version: 'i' }, null, { env })).stdout).toBe('[{"version":"i"}]\n');
    expect((await check({}, null, { env: { MIRRORED_VERSION: '' } })).stdout).toBe('[{"version":"mock"}]\n');
  });

  test('[MOCK6] [MOCK11] a privileged container says so in every version', async () => {
    const privileged = true;
    const expected = '[{"version":"v","privileged":"true"}]\n';
    expect((await check({ force_version: 'v' }, null, { privileged })).stdout).toBe(expected);
    expect((await check({}, { version: 'v' }, { privileged })).stdout).toBe(expected);
    expect((await check({ initial_version: 'v' }, null, { privileged })).stdout).toBe(expected);
    expect((await check({ no_initial_version: true }, null, { privileged })).stdout).toBe('[]\n');
  });
});
