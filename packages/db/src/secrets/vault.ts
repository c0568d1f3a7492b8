import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { type JsonObject, parseJson } from '@seaplane/config';
import type pg from 'pg';
import { DbError } from '../errors.ts';
import type { Queryable } from '../queryable.ts';

/** A column whose values may hold secrets. A sealed value opens only as one of its own column. */
export type SecretColumn =
  | 'pipeline.config'
  | 'resource.config'
  | 'resource_type.config'
  | 'prototype.config'
  | 'build.private_plan'
  | 'build_journal.value'
  | 'identity_key.private_jwk';

/** The operator's keys. Each has 16 or 32 bytes, for AES-128 or AES-256. */
export interface EncryptionKeys {
  /** Seals what is written. Absent: values are written as they are. */
  readonly current?: string | undefined;
  /** Opens what was sealed before the key was changed or taken away. */
  readonly old?: string | undefined;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'sealed:';

/**
 * Encrypts JSON objects on their way into the database, and decrypts them on their way out. A sealed value is a JSON string,
 * so it is never taken for an object that was written without a key.
 */
export class Vault {
  readonly #current: Key | undefined;
  readonly #keys: ReadonlyMap<string, Key>;

  constructor({ current, old }: EncryptionKeys = {}) {
    this.#current = current === undefined ? undefined : keyOf(current);
    const keys = [this.#current, old === undefined ? undefined : keyOf(old)].filter((key) => key !== undefined);
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** The beginning of what this vault writes, as JSON text. Undefined: it writes objects. */
  get mark(): string | undefined {
    return this.#current && `"${PREFIX}${this.#current.id}:`;
  }

  /** Returns JSON text to write. */
  seal(column: SecretColumn, value: object): string {
    const text = JSON.stringify(value);
    if (!this.#current) return text;
    const { id, bytes, cipher } = this.#current;
    const nonce = randomBytes(NONCE_BYTES);
    const sealing = createCipheriv(cipher, bytes, nonce).setAAD(Buffer.from(column));
    const sealed = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return JSON.stringify(`${PREFIX}${id}:${sealed.toString('base64')}`);
  }

  /** Returns the object that was written. Throws `key-missing` if another key has sealed it. */
  open<T extends object = JsonObject>(column: SecretColumn, stored: T | string): T {
    return typeof stored === 'string' ? (parseJson(this.openText(column, stored)) as T) : stored;
  }

  /** Returns the text of the object that was sealed. */
  openText(column: SecretColumn, sealed: string): string {
    const [, id = '', base64 = ''] = sealed.split(':');
    const key = this.#keys.get(id);
    if (!key) throw keyMissing();
    const bytes = Buffer.from(base64, 'base64');
    try {
      const opening = createDecipheriv(key.cipher, key.bytes, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(column))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([opening.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), opening.final()]).toString();
    } catch (cause) {
      throw new DbError('sealed-damaged', `A value of ${column} was changed after it was encrypted.`, { cause });
    }
  }
}

/** Throws if the text cannot be a key. */
export function checkEncryptionKey(text: string): void {
  const { length } = Buffer.from(text);
  if (length !== 16 && length !== 32) throw new Error(`a key has 16 or 32 bytes, and this one has ${length}`);
}

interface Key {
  /** Names the key in what it has sealed. */
  readonly id: string;
  readonly bytes: Buffer;
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm';
}

function keyOf(text: string): Key {
  checkEncryptionKey(text);
  const bytes = Buffer.from(text);
  const id = createHash('sha256').update('seaplane key ').update(bytes).digest('hex').slice(0, 8);
  return { id, bytes, cipher: bytes.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm' };
}

function keyMissing(): DbError {
  return new DbError(
    'key-missing',
    'The database is encrypted with a key that this server does not have. Set SEAPLANE_ENCRYPTION_KEY to it. To change the key, ' +
      'set the new one there and the former one in SEAPLANE_OLD_ENCRYPTION_KEY.',
  );
}

const NO_KEYS = new Vault();
/** A property of pools and clients: it goes with every operation, as the connection does. */
const VAULT = Symbol('vault');

/** Makes the vault that of the pool and of all its clients. */
export function useVault(pool: pg.Pool, vault: Vault): void {
  Object.assign(pool, { [VAULT]: vault });
  pool.on('connect', (client) => void Object.assign(client, { [VAULT]: vault }));
}

/** The vault of a pool or of one of its clients. */
export function vaultOf(db: Queryable): Vault {
  return (db as { readonly [VAULT]?: Vault })[VAULT] ?? NO_KEYS;
}
