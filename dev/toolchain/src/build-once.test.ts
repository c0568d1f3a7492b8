import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildOnce } from './build-once.ts';
import { silent } from './progress.ts';

let cache: string;
const saved = process.env['SEAPLANE_CACHE'];

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'build-once-'));
  process.env['SEAPLANE_CACHE'] = cache;
});

afterEach(async () => {
  if (saved === undefined) delete process.env['SEAPLANE_CACHE'];
  else process.env['SEAPLANE_CACHE'] = saved;
  await rm(cache, { recursive: true, force: true });
});

function builder(name: string, inputs: string[], built: string[], wait = 0) {
  return buildOnce({
    name,
    inputs,
    progress: silent,
    build: async (into) => {
      built.push(inputs.join());
      await writeFile(join(into, 'half'), '');
      await sleep(wait);
      await writeFile(join(into, 'result'), inputs.join());
    },
  });
}

test('builds once for the same inputs and anew for others', async () => {
  const built: string[] = [];
  const first = await builder('tool', ['1.0'], built);
  expect(await builder('tool', ['1.0'], built)).toBe(first);
  const second = await builder('tool', ['1.1'], built);
  expect(second).not.toBe(first);
  expect(built).toEqual(['1.0', '1.1']);
  expect(await readFile(join(second, 'result'), 'utf8')).toBe('1.1');
});

test('inputs that only look alike when joined are kept apart', async () => {
  const built: string[] = [];
  expect(await builder('tool', ['ab', 'c'], built)).not.toBe(await builder('tool', ['a', 'bc'], built));
});

test('two at once build once, and neither sees half a result', async () => {
  const built: string[] = [];
  const paths = await Promise.all([builder('tool', ['x'], built, 30), builder('tool', ['x'], built, 30)]);
  expect(built).toEqual(['x']);
  expect(paths[0]).toBe(paths[1]);
  expect(await readdir(paths[0])).toEqual(['half', 'result']);
});

test('a build that failed leaves nothing that looks like a result', async () => {
  const failing = buildOnce({
    name: 'tool',
    inputs: ['x'],
    progress: silent,
    build: async (into) => {
      await writeFile(join(into, 'half'), '');
      throw new Error('no compiler');
    },
  });
  await expect(failing).rejects.toThrow('no compiler');
  const path = await builder('tool', ['x'], []);
  expect(await readdir(path)).toEqual(['half', 'result']);
});
