import { DbError } from '../errors.ts';
import type { Queryable } from '../queryable.ts';

interface Renamed {
  readonly name: string;
  readonly oldName?: string;
}

/**
 * Gives jobs or resources of a pipeline the names that `old_name` asks for, so that they keep their history. Something
 * inactive that has the new name is deleted. What no longer has its old name was renamed by an earlier save.
 */
export async function rename(
  tx: Queryable,
  table: 'job' | 'resource',
  pipelineId: number,
  items: readonly Renamed[],
): Promise<void> {
  const wanted = items.flatMap(({ name, oldName }) => (oldName && oldName !== name ? [{ name, oldName }] : []));
  if (wanted.length === 0) return;
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM ${table} WHERE pipeline_id = $1 AND name = ANY($2::text[])`,
    [pipelineId, wanted.map(({ oldName }) => oldName)],
  );
  const present = new Set(rows.map(({ name }) => name));
  for (const { name, oldName } of inOrder(wanted.filter(({ oldName }) => present.has(oldName)))) {
    await tx.query(`DELETE FROM ${table} WHERE pipeline_id = $1 AND name = $2 AND NOT active`, [pipelineId, name]);
    const taken = await tx.query(`SELECT FROM ${table} WHERE pipeline_id = $1 AND name = $2`, [pipelineId, name]);
    if (taken.rowCount)
      throw new DbError(
        'name-taken',
        `${table} '${oldName}' cannot be renamed to '${name}': there is one of that name`,
      );
    await tx.query(`UPDATE ${table} SET name = $3 WHERE pipeline_id = $1 AND name = $2`, [pipelineId, oldName, name]);
  }
}

/** Of a chain (a becomes b, b becomes c) the last comes first. */
function inOrder<T extends { readonly name: string; readonly oldName: string }>(renames: readonly T[]): T[] {
  const ordered: T[] = [];
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
