import { createHash } from 'node:crypto';
import { isRawNumber, type Json } from '@seaplane/config';
import type { ResolvedResource } from '@seaplane/engine';
import { oneRow, type Queryable } from '../queryable.ts';

/** Two resources with the same identity are the same thing, wherever they are used. */
export type ConfigIdentity = Pick<ResolvedResource, 'type' | 'source' | 'imageCacheId'>;

/**
 * Returns the row for a type and source. A custom type is identified by the exact image it runs from, so a new version
 * of the type is another configuration. A base type is identified by its name.
 */
export async function findOrCreateResourceConfig(db: Queryable, identity: ConfigIdentity): Promise<number> {
  const values = keyOf(identity);
  const found = await db.query<{ id: number }>(
    'SELECT id FROM resource_config WHERE parent = $1 AND source_digest = $2',
    values,
  );
  if (found.rows[0]) return found.rows[0].id;
  const created = await db.query<{ id: number }>(
    `INSERT INTO resource_config (parent, source_digest) VALUES ($1, $2)
     ON CONFLICT (parent, source_digest) DO UPDATE SET parent = excluded.parent
     RETURNING id`,
    values,
  );
  return oneRow(created).id;
}

/** `parent` and `source_digest` of a configuration. */
export function keyOf({ type, source, imageCacheId }: ConfigIdentity): [parent: string, sourceDigest: string] {
  return [imageCacheId === undefined ? `base:${type}` : `cache:${imageCacheId}`, digestOf(source)];
}

/** Equal values have equal digests, whatever the order of their keys. A digest does not reveal secrets in the value. */
export function digestOf(value: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value;
  const entries = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}
