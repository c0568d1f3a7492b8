import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { fatal, info, type MockOptions, type MockPrograms, mockPrograms } from './testing/mock-programs.ts';
import { whyNoImages } from './testing/why-no-images.ts';

const test = anyTest.skipIf(whyNoImages());

let mock: MockPrograms;
beforeAll(async () => {
  mock = await mockPrograms();
});
afterAll(() => mock[Symbol.asyncDispose]());

describe('in', () => {
  async function get(source: object, version: object, params?: object, options: MockOptions = {}) {
    const dest = await mock.directory();
    const outcome = await mock.run('in', { source, version, params }, { args: [dest], ...options });
    return { ...outcome, dest, read: (name: string) => readFile(join(dest, name), 'utf8') };
  }

  test('[MOCK1] [MOCK5] [MOCK12] [MOCK16] writes version and privileged, answers the version', async () => {
    const { code, stdout, stderr, dest, read } = await get({ log: 'extra' }, { version: 'v1' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"version":{"version":"v1"},"metadata":null}\n' });
    expect(stderr).toBe(info('extra') + info('fetching version: v1'));
    expect((await readdir(dest)).sort()).toEqual(['privileged', 'version']);
    expect(await read('version')).toBe('v1\n');
    expect(await read('privileged')).toBe('false\n');
  });

  test('[MOCK6] [MOCK12] in a privileged container', async () => {
    const { stdout, stderr, read } = await get({}, { version: 'v1' }, {}, { privileged: true });
    expect(await read('privileged')).toBe('true\n');
    expect(stderr).toBe(info('fetching in a privileged container') + info('fetching version: v1'));
    expect(stdout).toBe('{"version":{"version":"v1"},"metadata":null}\n');
  });

  test('[MOCK13] creates files: strings as they are, the rest as Go writes JSON', async () => {
    const { code, dest, read } = await get(
      {
        create_files: {
          'task.yml': 'platform: linux\n"<&>"\n',
          'deep/er/file': '',
          'object.json': { b: [1, 2.5, 1e21, 1e-7, 0.1, -3, 123456789012345680000], a: { é: null, z: true, B: '' } },
          'array.json': [{ name: 'foo', value: 'a<b>&c\u2028\u0001\b\n"\\/' }],
          'number.json': 4,
          'null.json': null,
        },
      },
      { version: 'v' },
    );
    expect(code).toBe(0);
    expect(await read('task.yml')).toBe('platform: linux\n"<&>"\n');
    expect(await read('deep/er/file')).toBe('');
    expect(await read('object.json')).toBe(
      '{"a":{"B":"","z":true,"é":null},"b":[1,2.5,1e+21,1e-7,0.1,-3,123456789012345680000]}',
    );
    expect(await read('array.json')).toBe(
      '[{"name":"foo","value":"a\\u003cb\\u003e\\u0026c\\u2028\\u0001\\b\\n\\"\\\\/"}]',
    );
    expect(await read('number.json')).toBe('4');
    expect(await read('null.json')).toBe('null');
    expect((await stat(join(dest, 'task.yml'))).mode & 0o777).toBe(0o644);
    expect((await stat(join(dest, 'deep'))).mode & 0o777).toBe(0o755);
  });

  test('[MOCK13] files of the params are merged over those of the source', async () => {
    const { read } = await get(
      { create_files: { kept: 'source', replaced: 'source' } },
      { version: 'v' },
      { create_files_via_params: { replaced: 'params', added: 'params', version: 'own' } },
    );
    expect(await Promise.all(['kept', 'replaced', 'added', 'version'].map(read))).toEqual([
      'source',
      'params',
      'params',
      'own',
    ]);
  });

  test('[MOCK14] START_VAR and END_VAR become parentheses, in strings and in JSON', async () => {
    const { read } = await get(
      {
        create_files: {
          text: 'echo START_VARgreetingEND_VAR, START_VARxEND_VAR END_VA',
          json: { k: 'START_VARvEND_VAR' },
        },
      },
      { version: 'START_VAR' },
    );
    expect(await read('text')).toBe('echo ((greeting)), ((x)) END_VA');
    expect(await read('json')).toBe('{"k":"((v))"}');
    expect(await read('version')).toBe('START_VAR\n');
  });

  test('[MOCK16] answers metadata and the whole version', async () => {
    const metadata = [{ name: 'field1', value: 'a'.repeat(6_800) }, { name: 'é' }];
    const { stdout } = await get({ metadata }, { version: 'v', privileged: 'true' });
    expect(JSON.parse(stdout)).toEqual({
      version: { version: 'v', privileged: 'true' },
      metadata: [metadata[0], { name: 'é', value: '' }],
    });
  });

  test('[MOCK4] [MOCK16] without a destination, or one that cannot be written, it is fatal', async () => {
    const none = await get({}, { version: 'v' }, {}, { args: [] });
    expect(none).toMatchObject({ code: 1, stdout: '', stderr: fatal('destination path not specified') });
    const missing = await get({}, { version: 'v' }, {}, { args: ['/nonexistent/dir'] });
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('failed to create /nonexistent/dir/privileged');
  });
});

describe('out', () => {
  async function put(source: object, params?: object, options: MockOptions = {}) {
    const dir = await mock.directory();
    await mkdir(join(dir, 'input'));
    await writeFile(join(dir, 'input/version'), 'from-file\n');
    await writeFile(join(dir, 'input/empty'), '\n');
    return mock.run('out', { source, params }, { args: [dir], ...options });
  }

  test('[MOCK5] [MOCK17] [MOCK18] pushes the version of the params', async () => {
    expect(await put({ log: 'extra' }, { version: 'new' })).toEqual({
      code: 0,
      stdout: '{"version":{"version":"new"},"metadata":null}\n',
      stderr: info('extra') + info('pushing version: new'),
    });
  });

  test('[MOCK17] takes the version from a file of the source directory', async () => {
    expect((await put({}, { file: 'input/version' })).stdout).toContain('{"version":"from-file"}');
    expect((await put({}, { file: 'input/version', version: 'literal' })).stdout).toContain('{"version":"literal"}');
    expect(await put({}, { file: 'nowhere' })).toMatchObject({ code: 1, stdout: '' });
  });

  test.each([undefined, {}, { version: '' }, { file: 'input/empty' }])(
    '[MOCK4] [MOCK17] no version is fatal: %j',
    async (params) => {
      expect(await put({}, params)).toEqual({ code: 1, stdout: '', stderr: fatal('no version specified') });
    },
  );

  test('[MOCK18] in a privileged container, with metadata', async () => {
    const metadata = [{ name: 'a', value: 'b' }];
    expect(await put({ metadata }, { version: 'v' }, { privileged: true })).toEqual({
      code: 0,
      stdout: '{"version":{"version":"v","privileged":"true"},"metadata":[{"name":"a","value":"b"}]}\n',
      stderr: info('pushing in a privileged container') + info('pushing version: v'),
    });
  });

  test('[MOCK19] prints its environment', async () => {
    const { stderr } = await put({}, { version: 'v', print_env: true }, { env: { BUILD_ID: '42', EMPTY: '' } });
    expect(stderr).toContain(info('env: BUILD_ID=42'));
    expect(stderr).toContain(info('env: EMPTY='));
  });

  test('[MOCK4] without a source directory it is fatal', async () => {
    expect(await put({}, { version: 'v' }, { args: [] })).toMatchObject({
      code: 1,
      stderr: fatal('source path not specified'),
    });
  });
});
