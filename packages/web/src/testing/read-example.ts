import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../../examples');

/** The text of an example, with its variables replaced, as fly does it. */
export async function readExample(name: string, vars: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(FOLDER, `${name}.yml`), 'utf8');
  return Object.entries(vars).reduce((yaml, [key, value]) => yaml.replaceAll(`((${key}))`, value), text);
}
