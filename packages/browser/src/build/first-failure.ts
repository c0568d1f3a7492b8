import type { LeafStep } from './steps.ts';

/** Steps that went wrong, in the order of the page. The first is most often the cause. */
export function failedSteps(leaves: readonly LeafStep[]): readonly LeafStep[] {
  return leaves.filter(({ state }) => state === 'failed' || state === 'errored');
}

/** The next step that went wrong after this one, from the start again after the last. */
export function nextFailed(leaves: readonly LeafStep[], after: string | undefined): LeafStep | undefined {
  const failed = failedSteps(leaves);
  const at = failed.findIndex(({ id }) => id === after);
  return failed[(at + 1) % failed.length];
}
