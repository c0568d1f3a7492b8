import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silent } from '@seaplane/dev-toolchain/progress.ts';
import { beforeAll, expect, test } from 'vitest';
import { buildBrowser } from './build-browser.ts';

/** A busy machine builds for a while, unless the result is in the cache. */
beforeAll(() => buildBrowser(silent), 300_000);

test('[UI-SIZE1] the first page needs at most 110 KB, compressed', async () => {
  const dist = join(dirname(fileURLToPath(import.meta.resolve('@seaplane/browser/package.json'))), 'dist');
  const html = await readFile(join(dist, 'index.html'), 'utf8');
  const files = [...html.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name]) => join(dist, `${name}.br`));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  expect(files.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(110_000);
});
