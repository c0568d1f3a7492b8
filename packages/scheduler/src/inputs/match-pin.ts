import type { Version } from '@seaplane/config';
import type { History } from './history.ts';

/** Finds the version that a pin means. The error is in Concourse's words. */
export async function matchPin(
  history: History,
  resourceId: number,
  fields: Version,
): Promise<{ readonly digest: string } | { readonly error: string }> {
  const digest = await history.matching(resourceId, fields);
  if (digest !== undefined) return { digest };
  const shown = Object.entries(fields).map(([key, value]) => `${key}:${value}`);
  return { error: `pinned version ${shown.join(' ')} not found` };
}
