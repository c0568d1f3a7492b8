import type { Plan } from '@seaplane/config';
import type { Journal } from '../seams.ts';
import { firstLeaves } from '../walk/plan-tree.ts';

/** Whether an earlier walk began a plan. Every step that does something itself records its start. */
export async function hasBegun(journal: Journal, plan: Plan): Promise<boolean> {
  for (const { id } of firstLeaves(plan)) {
    if (await journal.read({ planId: id, what: 'started' })) return true;
  }
  return false;
}

/**
 * Asked where a signal has aborted: whether that was before a plan began. If it has not begun, it was, which is
 * remembered for later walks by the given id.
 */
export async function abortedBefore(journal: Journal, id: string, plan: Plan): Promise<boolean> {
  const key = { planId: id, what: 'value' } as const;
  if (await hasBegun(journal, plan)) return (await journal.read(key)) !== undefined;
  await journal.record(key, { abortedBefore: true });
  return true;
}
