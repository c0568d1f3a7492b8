import type { ContainerAnswer } from '@seaplane/api/answers';

/** The sandbox of a step. A step that was started again has several, of which the last counts. */
export function chooseSandbox(sandboxes: readonly ContainerAnswer[], plan: string): ContainerAnswer | undefined {
  return sandboxes.findLast(({ plan_id, state }) => plan_id === plan && state === 'created');
}
