import { readFile } from 'node:fs/promises';
import { parseYaml } from '@seaplane/config';
import { parseTarget, type Target } from '@seaplane/kubernetes';
import { WebError } from './web-error.ts';

/** Reads the list of places to run steps. What is wrong with it is told with its place in the file. */
export async function loadTargets(path: string | undefined): Promise<Target[]> {
  if (path === undefined) return [];
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new WebError('bad-targets', `The targets file ${path} cannot be read: ${cause.message}.`, { cause });
  });
  try {
    const listed: unknown = parseYaml(text); // JSON is YAML
    if (!Array.isArray(listed)) throw new Error('it must be a list of targets');
    const targets = listed.map((value) => parseTarget(value));
    const twice = targets.find(({ name }, index) => targets.findIndex((other) => other.name === name) < index);
    if (twice) throw new Error(`two targets are called ${twice.name}`);
    return targets;
  } catch (cause) {
    throw new WebError('bad-targets', `The targets file ${path}: ${(cause as Error).message}.`, { cause });
  }
}
