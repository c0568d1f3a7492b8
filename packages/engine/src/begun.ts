import type { Plan } from '@seaplane/config';
import { firstLeaf } from './plan-tree.ts';
import type { Journal } from './seams.ts';

/** Whether an earlier walk began a plan. Every step that does something itself records its start. */
export async function hasBegun(journal: Journal, plan: Plan): Promise<boolean> {
  const leaf = firstLeaf(plan);
  return leaf !== undefined && (await journal.read({ planId: leaf.id, what: 'started' })) !== undefined;
}
