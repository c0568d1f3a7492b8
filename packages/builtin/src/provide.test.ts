import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RegistryDouble, testImage, testLayer } from '@seaplane/oci/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offeredTypes, provideBuiltInTypes } from './provide.ts';
import { GitFixture } from './testing/git-fixture.ts';

let dir = '';
let directories: Awaited<ReturnType<typeof provideBuiltInTypes>>;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'built-in-'));
  [directories] = (await Promise.all([provideBuiltInTypes(dir), provideBuiltInTypes(dir)])) as [
    typeof directories,
    unknown,
  ];
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function run(type: 'git' | 'registry-image' | 'time', args: string[], request: object | string) {
  const input = typeof request === 'string' ? request : JSON.stringify(request);
  const env = { PATH: process.env['PATH'], TMPDIR: dir };
  return spawnSync(join(directories[type], 'program'), [type, ...args], { input, encoding: 'utf8', env });
}

test('[BT4] each type has a directory with check, in and out, and the program is on disk once', async () => {
  for (const [name, path] of Object.entries(directories)) {
    expect(readdirSync(path).sort()).toEqual(['check', 'in', 'out', 'program']);
    expect(readFileSync(join(path, 'in'), 'utf8')).toBe(`#!/bin/sh\nexec /opt/resource/program ${name} in "$@"\n`);
    expect(statSync(join(path, 'in')).mode & 0o777).toBe(0o755);
  }
  expect(new Set(Object.values(directories).map((path) => statSync(join(path, 'program')).ino)).size).toBe(1);
  expect(readdirSync(dir)).toHaveLength(1);
  expect(await provideBuiltInTypes(dir)).toEqual(directories);
});

test('[BT4] a type is offered where its programs are', async () => {
  expect(await offeredTypes()).toEqual(['git', 'registry-image', 'time']);
  expect(await offeredTypes('/nonexistent')).toEqual(['time']);
});

test('[BT5] the answer goes to stdout and errors to stderr, with exit status 1', () => {
  const time = run('time', ['out', '/'], { source: { location: 'Asia/Tokyo' } });
  expect([time.status, time.stderr]).toEqual([0, '']);
  expect(JSON.parse(time.stdout).version.time).toMatch(/^\d{4}-\d\d-\d\dT.*\+09:00$/);
  const bad = run('time', ['check'], { source: { interval: 'x' } });
  expect([bad.status, bad.stdout]).toEqual([1, '']);
  expect(bad.stderr).toMatch(/^error: source\.interval must be a duration/);
  expect(run('time', ['in'], {}).stderr).toContain('usage: TYPE check|in|out [DIRECTORY]');
  expect(run('time', ['check'], '[]').stderr).toContain('the request is not a JSON object');
});

test('[BT5] git in the compiled program', () => {
  using repo = new GitFixture();
  const ref = repo.commit('a');
  const checked = run('git', ['check'], { source: { uri: repo.uri }, version: null });
  expect(JSON.parse(checked.stdout)).toEqual([{ ref }]);
  const got = run('git', ['in', join(dir, 'dest')], { source: { uri: repo.uri }, version: { ref } });
  expect([got.status, JSON.parse(got.stdout).version]).toEqual([0, { ref }]);
});

test('[BT5] registry-image in the compiled program', async () => {
  await using registry = await RegistryDouble.start();
  const image = testImage([await testLayer({ a: 'one' }, 'gzip'), await testLayer({ b: 'two' }, 'zstd')]);
  registry.add('a/b', '1', image);
  const request = {
    source: { repository: `${registry.host}/a/b`, tag: '1' },
    version: { tag: '1', digest: image.digest },
  };
  const to = join(dir, 'image');
  const child = spawn(join(directories['registry-image'], 'program'), ['registry-image', 'in', to]);
  child.stdin.end(JSON.stringify(request));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(said).toContain('layer 2 of 2');
  expect(JSON.parse(out).version).toEqual(request.version);
  expect(readFileSync(join(to, 'rootfs/b'), 'utf8')).toBe('two');
});
