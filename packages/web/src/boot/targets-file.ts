import { type FileWorker, parseTargets, readTargets, type TargetsContent } from './load-workers.ts';
import type { OpenWorker } from './open-workers.ts';
import type { WebError } from './web-error.ts';

/** A worker of the targets file, whose host is not open yet. */
export interface Target {
  readonly name: string;
  readonly entry: string;
  open(): Promise<OpenWorker>;
}

/** The targets file after a change. */
export interface ChangedTargets extends Pick<TargetsContent, 'mistakes'> {
  /** Undefined if the whole file can't be used. */
  readonly targets: readonly Target[] | undefined;
}

/** Returns the targets if the file has changed since the last call, and otherwise undefined. */
export type ReadChanges = () => Promise<ChangedTargets | undefined>;

/** Follows the targets file. The first call also returns its content, in case that it changed while web started. */
export function followTargets(path: string, open: (worker: FileWorker) => Promise<OpenWorker>): ReadChanges {
  let last: string | undefined;
  return async () => {
    const content = await readTargets(path).then(
      (text) => ({ text, read: () => parseTargets(path, text) }),
      // Not there, as between two versions of a mounted file, or not readable.
      (error: WebError) => ({ text: error.message, read: () => ({ workers: undefined, mistakes: [{ error }] }) }),
    );
    if (content.text === last) return undefined;
    last = content.text;
    const { workers, mistakes } = content.read();
    const targets = workers?.map((worker) => ({
      name: worker.config.name,
      entry: worker.entry,
      open: async () => ({ ...(await open(worker)), fromFile: true as const }),
    }));
    return { targets, mistakes };
  };
}
