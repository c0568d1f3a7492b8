import type { LoadVarPlan, Plan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { TaskRequest } from '../seams.ts';
import { requestOf } from '../testing/memory-world.ts';
import { getPlan, taskPlan } from '../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../testing/walk.ts';

const files = {
  'version.json': '{"major": 1, "id": 9007199254740993}',
  'version.yml': 'major: 2\n',
  version: '  3\n',
  'bad.json': '{',
};

/** Loads a variable and lets a task print it. */
function fixture(load: Partial<LoadVarPlan>, printed = '((.:v))') {
  const config = { platform: 'linux', rootfs_uri: 'x', run: { path: 'echo', args: [printed] } };
  const plan: Plan = {
    id: '0',
    do: [
      getPlan('g', { name: 'repo' }),
      { id: '1', load_var: { name: 'v', file: 'repo/version', ...load } },
      taskPlan('2', { name: 'print', config }),
    ],
  };
  return testBuild(plan, { repo: { files }, print: { stdout: 'the secret is 3\n' } });
}

async function loadAndRead(load: Partial<LoadVarPlan>, printed?: string) {
  const { walk, world } = fixture(load, printed);
  expect(await walk().outcome).toEqual({ status: 'succeeded' });
  return requestOf<TaskRequest>(world, '2').args[0];
}

describe('load_var', () => {
  test('[ENG-LOAD1] reads a file by its format, or by its name', async () => {
    expect(await loadAndRead({})).toBe('3');
    expect(await loadAndRead({ format: 'raw' })).toBe('  3\n');
    expect(await loadAndRead({ file: 'repo/version.json' }, '((.:v.major))')).toBe('1');
    expect(await loadAndRead({ file: 'repo/version.yml' }, 'v((.:v.major))')).toBe('v2');
    expect(await loadAndRead({ file: 'repo/version.json', format: 'trim' })).toBe(files['version.json']);
  });

  test('[ENG-LOAD1] keeps large numbers exact', async () => {
    expect(await loadAndRead({ file: 'repo/version.json' }, 'n((.:v.id))')).toBe('n9007199254740993');
  });

  test('[ENG-LOAD2] says what it did', async () => {
    const { walk, contents } = fixture({ name: 'version' }, 'x');
    await walk().outcome;
    expect(shortEvents(contents.events).filter((event) => event.startsWith('1 '))).toEqual([
      '1 initialize',
      '1 start',
      '1 log stdout "var version fetched.\\n"',
      '1 log stdout "added var version to build.\\n"',
      '1 finish {"succeeded":true}',
    ]);
  });

  test('[ENG-LOAD3] makes its value a secret, unless it may be revealed', async () => {
    for (const [reveal, shown] of [
      [false, '((redacted)) here\n'],
      [true, 'token here\n'],
    ] as const) {
      const { walk, world, contents } = fixture({ format: 'trim', reveal });
      world.scripts['repo'] = { files: { version: 'token' } };
      world.scripts['print'] = { stdout: 'token here\n' };
      await walk().outcome;
      expect(shortEvents(contents.events)).toContain(`2 log stdout ${JSON.stringify(shown)}`);
    }
  });

  test.each([
    [{ file: 'version' }, "file 'version' does not specify where the file lives"],
    [{ file: 'nowhere/version' }, "unknown artifact source: 'nowhere' in file path 'nowhere/version'"],
    [{ file: 'repo/nothing' }, "file 'nothing' not found within artifact 'repo'"],
    [{ format: 'toml' }, 'invalid format toml'],
    [{ file: '((nope))' }, 'undefined vars: nope'],
  ])('[ENG-LOAD4] errors with %j', async (load, message) => {
    const { walk, contents } = fixture(load);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe(message);
  });

  test('[ENG-LOAD5] errors for a file that is too large or nested too deeply', async () => {
    for (const [file, text, message] of [
      ['large', 'x'.repeat(1024 * 1024 + 1), 'large is larger than the limit of 1048576 bytes: it has 1048577 bytes'],
      ['deep.json', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'nested more than 200 levels deep'],
      ['deep.yml', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'nested too deeply'],
    ] as const) {
      const { walk, world, contents } = fixture({ file: `repo/${file}` });
      world.scripts['repo'] = { files: { [file]: text } };
      expect(await walk().outcome).toEqual({ status: 'errored' });
      expect(lastError(contents)).toContain(message);
    }
  });

  test('[ENG-LOAD4] errors when the file is not in its format', async () => {
    const { walk, contents } = fixture({ file: 'repo/bad.json' });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toContain('failed to parse repo/bad.json in format json: ');
  });
});
