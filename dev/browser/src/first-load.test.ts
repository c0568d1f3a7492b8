import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silent } from '@seaplane/dev-toolchain/progress.ts';
import { beforeAll, expect, test } from 'vitest';
import { buildBrowser } from './build-browser.ts';

const DIST = join(dirname(fileURLToPath(import.meta.resolve('@seaplane/browser/package.json'))), 'dist');

/** A busy machine builds for a while, unless the result is in the cache. */
beforeAll(() => buildBrowser(silent), 300_000);

test('[UI-SIZE1] the first page needs at most 110 KB, compressed', async () => {
  const files = await firstFiles();
  const sizes = await Promise.all(files.map(async (file) => (await stat(`${file}.br`)).size));
  expect(files.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(110_000);
});

// A test runner sets NODE_ENV, and whoever builds first builds for everybody.
test('[UI-SIZE2] the files are made for users, also if a test builds them: no place in the sources is in them', async () => {
  const named: string[] = [];
  for (const file of await firstFiles()) {
    const text = await readFile(file, 'utf8');
    if (text.includes('packages/browser/src') || text.includes('lineNumber')) named.push(file);
  }
  expect(named).toEqual([]);
});

async function firstFiles(): Promise<readonly string[]> {
  const html = await readFile(join(DIST, 'index.html'), 'utf8');
  return [...html.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name]) => join(DIST, String(name)));
}
