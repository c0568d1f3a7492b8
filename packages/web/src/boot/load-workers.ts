import { readFile } from 'node:fs/promises';
import { parseYaml } from '@seaplane/config';
import { type ConfiguredWorker, parseWorker } from '@seaplane/orchestrator';
import { HOST_KINDS } from './host-kinds.ts';
import { WebError } from './web-error.ts';

/** The name of the worker that is this machine. */
export const LOCAL_WORKER = 'local';

/** The worker that is this machine. Everything of it is in the directory. */
export function localWorker(directory: string): ConfiguredWorker {
  try {
    return parseWorker(HOST_KINDS, 'the local worker', { kind: 'local', name: LOCAL_WORKER, directory });
  } catch (cause) {
    throw new WebError('no-local-worker', `${(cause as Error).message}. The directory is chosen with --data-dir.`, {
      cause,
    });
  }
}

/** Reads the workers that the targets file lists. An error names the file and the field. */
export async function loadWorkers(path: string | undefined): Promise<ConfiguredWorker[]> {
  if (path === undefined) return [];
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new WebError('bad-targets', `The targets file ${path} cannot be read: ${cause.message}.`, { cause });
  });
  try {
    const listed: unknown = parseYaml(text); // JSON is YAML
    if (!Array.isArray(listed)) throw new Error('it must be a list of targets');
    const workers = listed.map((value) => parseWorker(HOST_KINDS, 'target', value));
    const names = workers.map(({ config }) => config.name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice) throw new Error(`two targets are called ${twice}`);
    return workers;
  } catch (cause) {
    throw new WebError('bad-targets', `The targets file ${path}: ${(cause as Error).message}.`, { cause });
  }
}
