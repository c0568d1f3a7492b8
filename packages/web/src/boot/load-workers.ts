import { createHash } from 'node:crypto';
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

/** A worker that the targets file lists. */
export interface FileWorker extends ConfiguredWorker {
  /** A digest of its entry. It differs if anything in the entry does. */
  readonly entry: string;
}

export interface TargetMistake {
  /** The worker whose entry is wrong, if it has a name. Undefined: the whole file can't be used. */
  readonly worker?: string;
  /** The error, which names the file and the field. */
  readonly error: WebError;
}

/** What the targets file says. An entry with a mistake does not keep the others from being used. */
export interface TargetsContent {
  /** Undefined if the whole file can't be used. */
  readonly workers: readonly FileWorker[] | undefined;
  readonly mistakes: readonly TargetMistake[];
}

/** Reads the workers that the targets file lists. An error names the file and the field. */
export async function loadWorkers(path: string | undefined): Promise<readonly FileWorker[]> {
  if (path === undefined) return [];
  const { workers = [], mistakes } = parseTargets(path, await readTargets(path));
  if (mistakes[0]) throw mistakes[0].error;
  return workers;
}

export async function readTargets(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: Error) => {
    throw new WebError('bad-targets', `The targets file ${path} cannot be read: ${cause.message}.`, { cause });
  });
}

/** Parses the text of the targets file. Pure. */
export function parseTargets(path: string, text: string): TargetsContent {
  const mistake = (cause: unknown, worker?: string): TargetMistake => {
    const error = new WebError('bad-targets', `The targets file ${path}: ${(cause as Error).message}.`, { cause });
    return { error, ...(worker === undefined ? {} : { worker }) };
  };
  let listed: unknown;
  try {
    listed = parseYaml(text); // JSON is YAML
    if (!Array.isArray(listed)) throw new Error('it must be a list of targets');
  } catch (cause) {
    return { workers: undefined, mistakes: [mistake(cause)] };
  }
  const workers: FileWorker[] = [];
  const mistakes: TargetMistake[] = [];
  for (const value of listed as unknown[]) {
    try {
      const worker = { ...parseWorker(HOST_KINDS, 'target', value), entry: digestOf(value) };
      const { name } = worker.config;
      if (workers.some(({ config }) => config.name === name)) throw new Error(`two targets are called ${name}`);
      workers.push(worker);
    } catch (cause) {
      mistakes.push(mistake(cause, nameIn(value)));
    }
  }
  return { workers, mistakes };
}

function nameIn(value: unknown): string | undefined {
  const name = (value as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
