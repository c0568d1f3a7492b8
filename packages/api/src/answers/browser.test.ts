import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@seaplane/db/testing';
import { expect, test } from 'vitest';

test('[API-ANS2] a browser application compiles with the types of the answers and without those of Node', async () => {
  await using directory = await temporaryDirectory();
  const config = {
    extends: join(import.meta.dirname, '../../../../tsconfig.json'),
    compilerOptions: { lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    include: [],
    files: [join(import.meta.dirname, 'index.ts')],
  };
  const path = join(directory.path, 'tsconfig.json');
  await writeFile(path, JSON.stringify(config));
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(typescript), 'bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--project', path, '--listFilesOnly']);
  expect(stdout).not.toMatch(/@types\/(node|pg)|packages\/db/);
  await promisify(execFile)(process.execPath, [compiler, '--project', path]);
});
