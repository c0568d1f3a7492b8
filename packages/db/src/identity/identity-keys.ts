import type { JsonObject } from '@seaplane/config';
import type { Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';

export type IdentityAlgorithm = 'RS256' | 'ES256';

/** A key that signs identity tokens, as JSON Web Keys. `id` is the `kid` of both. */
export interface IdentityKey {
  readonly id: string;
  readonly algorithm: IdentityAlgorithm;
  readonly publicJwk: JsonObject;
  readonly privateJwk: JsonObject;
}

export async function addIdentityKey(
  db: Queryable,
  { id, algorithm, publicJwk, privateJwk }: IdentityKey,
): Promise<void> {
  await db.query('INSERT INTO identity_key (id, algorithm, public_jwk, private_jwk) VALUES ($1, $2, $3, $4)', [
    id,
    algorithm,
    JSON.stringify(publicJwk),
    vaultOf(db).seal('identity_key.private_jwk', privateJwk),
  ]);
}

/** The key to sign with. Undefined: none was made yet. */
export async function findNewestIdentityKey(
  db: Queryable,
  algorithm: IdentityAlgorithm,
): Promise<Pick<IdentityKey, 'id' | 'privateJwk'> | undefined> {
  const { rows } = await db.query<{ id: string; privateJwk: JsonObject | string }>(
    `SELECT id, private_jwk AS "privateJwk" FROM identity_key WHERE algorithm = $1
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    [algorithm],
  );
  const [key] = rows;
  return key && { id: key.id, privateJwk: vaultOf(db).open('identity_key.private_jwk', key.privateJwk) };
}

/** The public halves of all keys, oldest first. The private halves are not read. */
export async function listPublicIdentityKeys(db: Queryable): Promise<readonly JsonObject[]> {
  const { rows } = await db.query<{ jwk: JsonObject }>(
    'SELECT public_jwk AS jwk FROM identity_key ORDER BY created_at, id',
  );
  return rows.map(({ jwk }) => jwk);
}

/** Whether the newest key is younger than this. Zero means that a key of any age will do. */
export async function isIdentityKeyFresh(
  db: Queryable,
  algorithm: IdentityAlgorithm,
  maxAgeMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM identity_key WHERE algorithm = $1
     AND ($2::float8 = 0 OR created_at > clock_timestamp() - make_interval(secs => $2 / 1000)) LIMIT 1`,
    [algorithm, maxAgeMs],
  );
  return rowCount === 1;
}

/** Deletes the keys that another key has replaced at least this long ago. Returns their ids. */
export async function deleteReplacedIdentityKeys(db: Queryable, graceMs: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `DELETE FROM identity_key old USING identity_key new
     WHERE new.algorithm = old.algorithm AND (new.created_at, new.id) > (old.created_at, old.id)
     AND new.created_at <= clock_timestamp() - make_interval(secs => $1::float8 / 1000)
     RETURNING old.id`,
    [graceMs],
  );
  return rows.map(({ id }) => id);
}
