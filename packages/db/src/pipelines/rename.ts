import { DbError } from '../errors.ts';
import type { Queryable } from '../queryable.ts';

interface Item {
  readonly name: string;
  readonly oldName?: string;
}

interface Rename {
  readonly name: string;
  readonly oldName: string;
}

/**
 * Gives jobs or resources of a pipeline the names that `old_name` asks for, so that they keep their history. Any other
 * item that has the new name is deleted. A rename that an earlier save has made is not repeated, even if `old_name` is
 * still in the configuration.
 */
export async function rename(
  tx: Queryable,
  table: 'job' | 'resource',
  pipelineId: number,
  items: readonly Item[],
): Promise<void> {
  const written = items.flatMap(({ name, oldName }) => (oldName && oldName !== name ? [{ name, oldName }] : []));
  if (written.length === 0) return;
  const { rows } = await tx.query<{ name: string; active: boolean }>(
    `SELECT name, active FROM ${table} WHERE pipeline_id = $1`,
    [pipelineId],
  );
  const present = new Set(rows.map(({ name }) => name));
  const active = new Set(rows.flatMap((row) => (row.active ? [row.name] : [])));
  const wanted = new Set(items.map(({ name }) => name));
  const possible = written.filter(({ oldName }) => present.has(oldName));
  const isMade = ({ name, oldName }: Rename) =>
    active.has(name) && wanted.has(oldName) && !possible.some((other) => other.oldName === name);
  for (const { name, oldName } of inOrder(possible.filter((each) => !isMade(each)))) {
    await tx.query(`DELETE FROM ${table} WHERE pipeline_id = $1 AND name = $2`, [pipelineId, name]);
    await tx.query(`UPDATE ${table} SET name = $3 WHERE pipeline_id = $1 AND name = $2`, [pipelineId, oldName, name]);
  }
}

/** In a chain (a becomes b, b becomes c) the last rename comes first. */
function inOrder(renames: readonly Rename[]): Rename[] {
  const ordered: Rename[] = [];
  let rest = [...renames];
  while (rest.length > 0) {
    const free = rest.filter(({ name }) => !rest.some(({ oldName }) => oldName === name));
    if (free.length === 0) {
      const names = rest.map(({ oldName, name }) => `${oldName} -> ${name}`).join(', ');
      throw new DbError('names-swapped', `swapping names is not supported (${names})`);
    }
    ordered.push(...free);
    rest = rest.filter((item) => !free.includes(item));
  }
  return ordered;
}
