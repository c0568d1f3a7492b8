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
