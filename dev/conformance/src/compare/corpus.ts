import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const CORPUS = join(import.meta.dirname, '../../corpus');

/** Our own pipelines and task files to compare. */
export async function corpusFiles(): Promise<string[]> {
  return (await readdir(CORPUS)).sort().map((name) => join(CORPUS, name));
}
