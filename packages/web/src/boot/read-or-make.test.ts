import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readOrMake } from './read-or-make.ts';

vi.setConfig({ testTimeout: 30_000 });

let directory: TemporaryDirectory;
let file: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  file = join(directory.path, 'data', 'secret');
});
afterEach(() => directory[Symbol.asyncDispose]());

const MODULE = JSON.stringify(new URL('./read-or-make.ts', import.meta.url).href);

/** Runs `readOrMake` in a process of its own. `prepare` can change the functions of `node:fs/promises`, called `fs`. */
async function runAlone(content: string, prepare = ''): Promise<{ output: string; ended: number | NodeJS.Signals }> {
  const code = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    ${prepare}
    syncBuiltinESMExports();
    const { readOrMake } = await import(${MODULE});
    process.stdout.write(await readOrMake(${JSON.stringify(file)}, () => ${JSON.stringify(content)}));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [status, signal] = await once(child, 'close');
  return { output, ended: signal ?? status };
}

test('[WEB8] the file is made once, for this user only, and nothing else is left', async () => {
  expect(await readOrMake(file, () => 'first')).toBe('first');
  expect(await readOrMake(file, () => 'second')).toBe('first');
  expect(await readdir(join(directory.path, 'data'))).toEqual(['secret']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['before anything is written', `fs.open = () => process.kill(process.pid, 'SIGKILL');`],
  ['before the file has its name', `fs.link = () => process.kill(process.pid, 'SIGKILL');`],
])('[WEB8] a kill %s leaves nothing under the name, and the next start makes the file', async (_, prepare) => {
  expect(await runAlone('killed', prepare)).toEqual({ output: '', ended: 'SIGKILL' });
  await expect(readFile(file)).rejects.toThrow('ENOENT');
  expect(await readOrMake(file, () => 'next')).toBe('next');
});

test('[WEB8] a kill right after the file has its name leaves it whole', async () => {
  const killed = `
    const { link } = fs;
    fs.link = async (...paths) => { await link(...paths); process.kill(process.pid, 'SIGKILL'); };`;
  expect((await runAlone('whole', killed)).ended).toBe('SIGKILL');
  expect(await readOrMake(file, () => 'next')).toBe('whole');
});

test('[WEB8] two starts at once use the content of the first', async () => {
  // Both processes find no file. The second gives its file the name only after the first has.
  const second = `
    const { link } = fs;
    fs.link = async (...paths) => { while (!(await fs.stat(paths[1]).catch(() => null))) {} return link(...paths); };`;
  const waiting = runAlone('second', second);
  await expect.poll(() => readdir(join(directory.path, 'data')).catch(() => []), { timeout: 20_000 }).toHaveLength(1);
  expect(await readOrMake(file, () => 'first')).toBe('first');
  expect(await waiting).toEqual({ output: 'first', ended: 0 });
});
