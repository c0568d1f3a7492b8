import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type FindIcon, iconsIn } from './icons.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** One file, plain and compressed. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** The built browser application. It is small, so all of it but its icons is kept in memory. */
export interface BrowserFiles {
  readonly page: string;
  /** By path: `/assets/NAME`. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The icons that resources may have. */
  readonly findIcon: FindIcon;
}

/** Reads what `npm run browser` has built. Undefined if nothing is built there. */
export async function readBrowserFiles(directory: string): Promise<BrowserFiles | undefined> {
  let page: string;
  try {
    page = await readFile(join(directory, 'index.html'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const assets = new Map<string, Asset>();
  for await (const name of glob('assets/*', { cwd: directory })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue; // a compressed form of another file
    const path = join(directory, name);
    const [plain, br, gzip] = await Promise.all([readFile(path), readFile(`${path}.br`), readFile(`${path}.gz`)]);
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    assets.set(`/${name}`, { type, etag, plain, br, gzip });
  }
  return { page, assets, findIcon: iconsIn(join(directory, 'icons')) };
}
