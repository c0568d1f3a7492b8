import type { WorkerAnswer } from '@seaplane/api/answers';

/** A worker, and in words what is wrong with it and what to do. */
export interface WorkerView {
  readonly worker: WorkerAnswer;
  readonly isWell: boolean;
  /** The problems that the worker reports. Those who are not administrators see only that there are some. */
  readonly problems: readonly string[];
  readonly advice: string | undefined;
  readonly mayPrune: boolean;
}

const ADVICE: Readonly<Record<WorkerAnswer['state'], string | undefined>> = {
  running: undefined,
  stalled:
    'Web does not hear from it. Steps that run on it go on if they can; new steps go to other workers. Repair it, or prune it if it is gone for good.',
  landing: 'It takes no new steps, and is landed when those that run have ended.',
  landed:
    'It takes no steps. To use it again, change its entry in the targets file, or start web again if it has no entry. Prune it if it is gone for good.',
  retiring: 'It takes no new steps, and goes when those that run have ended.',
};

/** Workers with problems first, then by name. */
export function viewWorkers(workers: readonly WorkerAnswer[]): readonly WorkerView[] {
  return workers
    .map((worker) => {
      const problems = worker.addr === '' ? [] : worker.addr.split('; ');
      return {
        worker,
        isWell: worker.state === 'running' && problems.length === 0,
        problems,
        advice: ADVICE[worker.state],
        mayPrune: worker.state === 'stalled' || worker.state === 'landed',
      };
    })
    .toSorted((a, b) => Number(a.isWell) - Number(b.isWell) || (a.worker.name < b.worker.name ? -1 : 1));
}
