import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  readonly version: number;
  /** `0001-instance.sql` */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the SQL, the same for every way of ending lines. */
  readonly checksum: string;
}

const DIRECTORY = fileURLToPath(new URL('../migrations', import.meta.url));

/** Reads the migrations of this program: `NNNN-name.sql`, numbered from 1 without a gap. */
export async function readMigrations(directory: string = DIRECTORY): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1]);
      if (version !== index + 1) {
        throw new Error(`${join(directory, name)}: migration ${index + 1} was expected here, as NNNN-name.sql`);
      }
      return makeMigration(version, name, await readFile(join(directory, name), 'utf8'));
    }),
  );
}

export function makeMigration(version: number, name: string, text: string): Migration {
  const sql = text.replaceAll('\r\n', '\n');
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
