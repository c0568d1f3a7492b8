import type { JsonObject } from '@seaplane/config';
import type { Queryable } from '../queryable.ts';

/** Saves the claims of a token under its hash. Only the user has the token itself. */
export async function saveAccessToken(
  db: Queryable,
  hash: string,
  { claims, expiresAt }: { readonly claims: JsonObject; readonly expiresAt: Date },
): Promise<void> {
  await db.query('INSERT INTO access_token (hash, claims, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    hash,
    JSON.stringify(claims),
    expiresAt,
  ]);
}

/** Finds the claims of a token that is known and has not expired. */
export async function findAccessToken(db: Queryable, hash: string): Promise<JsonObject | undefined> {
  const { rows } = await db.query<{ claims: JsonObject }>({
    name: 'find-access-token',
    text: 'SELECT claims FROM access_token WHERE hash = $1 AND expires_at > now()',
    values: [hash],
  });
  return rows[0]?.claims;
}

export async function deleteAccessToken(db: Queryable, hash: string): Promise<void> {
  await db.query('DELETE FROM access_token WHERE hash = $1', [hash]);
}

/** Returns how many were deleted. */
export async function deleteExpiredAccessTokens(db: Queryable): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM access_token WHERE expires_at <= now()');
  return rowCount ?? 0;
}
