import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNodeRuntime } from '../runtime/node.ts';
import { inWaves, loadInputs } from './beltloader.ts';
import { Volumes } from './volumes.ts';

const input = (path: string) => ({ path, from: [] });

test('[BC12] inputs are loaded together, except after those that they lie within', () => {
  const paths = ['/w/a/b/c', '/w/x', '/w/a', '/w/ab', '/w/a/b', '/w/y/z'];
  expect(inWaves(paths.map(input)).map((wave) => wave.map(({ path }) => path))).toEqual([
    ['/w/x', '/w/a', '/w/ab', '/w/y/z'],
    ['/w/a/b'],
    ['/w/a/b/c'],
  ]);
  expect(inWaves([])).toEqual([]);
});

describe('inputs that may be shown', () => {
  let dir: string;
  let volumes: Volumes;
  let archive: Buffer;
  const shown: string[] = [];

  beforeEach(async () => {
    shown.length = 0;
    dir = await mkdtemp(join(tmpdir(), 'beltloader-'));
    for (const name of ['build', 'volume', 'tree']) await mkdir(join(dir, name));
    await writeFile(join(dir, 'tree/copy'), '');
    archive = execFileSync('tar', ['-C', join(dir, 'tree'), '-c', '.']);
    volumes = await Volumes.open([
      { path: '/tmp/build', at: join(dir, 'build') },
      { path: '/srv/in/volume', at: join(dir, 'volume') },
      { path: '/srv/in', at: join(dir, 'build') },
    ]);
  });
  afterEach(() => rm(dir, { recursive: true }));

  const source = (host: string) => ({ url: `https://${host}/`, token: 'x', server: { name: 'x', authority: '' } });

  /** Loads an input, whose source is on this machine if it is `here`. Returns what a copy has left. */
  async function load(path: string, hosts: readonly string[], mayShow: boolean): Promise<string[]> {
    const puller = {
      runtime: createNodeRuntime(),
      pull: async () => new Blob([archive as Buffer<ArrayBuffer>]).stream() as ReadableStream<Uint8Array>,
      showHere: async ({ url }: { url: string }, at: string) => {
        if (new URL(url).host !== 'here') return false;
        shown.push(at);
        return true;
      },
    };
    const { signal } = new AbortController();
    await loadInputs(puller, volumes, [{ path, from: hosts.map(source), mayShow }], signal);
    return (await readdir(join(dir, 'build'), { recursive: true })).filter((name) => name.endsWith('copy'));
  }

  test('[BC42] an input is shown from the first source that is here, and nothing is copied', async () => {
    expect(await load('/tmp/build/in', ['elsewhere', 'here', 'here'], true)).toEqual([]);
    expect(shown).toEqual(['/tmp/build/in']);
  });

  test.each([
    ['is elsewhere', '/tmp/build/in', 'elsewhere', true],
    ['others read', '/tmp/build/in', 'here', false],
    ["would hide the sandbox's own files", '/tmp/build', 'here', true],
    ['would hide a volume', '/srv/in', 'here', true],
  ])('[BC42] an input that %s is copied', async (_, path, host, mayShow) => {
    expect(await load(path, [host], mayShow)).toHaveLength(1);
    expect(shown).toEqual([]);
  });
});
