import { existsSync } from 'node:fs';
import { cp, glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { withFileLock } from '@seaplane/dev-toolchain/file-lock.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { writeIcons } from './write-icons.ts';

const BROWSER = dirname(fileURLToPath(import.meta.resolve('@seaplane/browser/package.json')));
const ROOT = join(BROWSER, '../..');
const DIST = join(BROWSER, 'dist');
/** Names the result that `dist` holds. */
const STAMP = 'built-from';

/**
 * Builds the browser application into `packages/browser/dist`, unless that holds the result already. The result for the
 * same sources and packages comes from the cache.
 */
export async function buildBrowser(progress: Progress): Promise<void> {
  const inputs = await readInputs();
  const built = await buildOnce({ name: 'browser', inputs, build: buildInto, progress });
  const isCurrent = async () => (await readFile(join(DIST, STAMP), 'utf8').catch(() => '')) === built;
  if (await isCurrent()) return;
  await withFileLock(`${DIST}.lock`, async () => {
    if (await isCurrent()) return;
    const next = `${DIST}.next`;
    await rm(next, { recursive: true, force: true });
    await cp(built, next, { recursive: true });
    await writeFile(join(next, STAMP), built);
    await rm(DIST, { recursive: true, force: true });
    await rename(next, DIST);
  });
}

/** The sources, the packages at their locked versions, and this program. */
async function readInputs(): Promise<Buffer[]> {
  const files = ['packages/browser/index.html', 'package-lock.json'];
  for await (const file of glob(['packages/browser/src/**/*.{ts,tsx,css,svg}', 'dev/browser/src/*.ts'], {
    cwd: ROOT,
  })) {
    if (!file.endsWith('.test.ts')) files.push(file);
  }
  const texts = files.toSorted().map(async (file) => [Buffer.from(file), await readFile(join(ROOT, file))]);
  return (await Promise.all(texts)).flat();
}

async function buildInto(directory: string): Promise<void> {
  const { build } = await import('vite'); // takes a while to load
  await build({
    root: BROWSER,
    configFile: false,
    logLevel: 'warn',
    // For users, whatever NODE_ENV a test runner has set: the result is kept for everybody.
    mode: 'production',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: directory,
      emptyOutDir: false,
      target: ['chrome123', 'firefox135', 'safari18.4'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: { checks: { bundlerTimings: false } }, // a busy machine is not worth a warning
    },
  });
  for await (const file of glob('assets/*.{js,css,svg}', { cwd: directory })) await compress(join(directory, file));
  await writeIcons(directory);
  if (!existsSync(join(directory, 'index.html')))
    throw new Error('the build of the browser application has no index.html');
}

async function compress(file: string): Promise<void> {
  const text = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(text, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }));
}
