import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A spec that is known not to pass on some hosts, and why that is all right or cannot be helped. It explains a result
 * and never changes one.
 */
export interface ExpectedDifference {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly reason: string;
}

export async function readExpected(): Promise<ExpectedDifference[]> {
  const file = join(import.meta.dirname, '../../expected.json');
  return JSON.parse(await readFile(file, 'utf8')) as ExpectedDifference[];
}
