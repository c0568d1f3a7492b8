import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 20;

/**
 * A new opaque token: twenty random bytes and the expiry, in the form that `fly targets` reads it from (unpadded base64
 * of 28 bytes, the last eight a little-endian time).
 */
export function newAccessToken(expiresAt: Date): string {
  const expiry = Buffer.alloc(8);
  expiry.writeBigUInt64LE(BigInt(Math.floor(expiresAt.getTime() / 1000)));
  return Buffer.concat([randomBytes(RANDOM_BYTES), expiry])
    .toString('base64')
    .replaceAll('=', '');
}

/** What a token is kept under: who reads the database cannot log in with what is there. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token of an `Authorization` header; undefined when there is no header, null when it is not a bearer's. */
export function bearerToken(header: string | undefined): string | null | undefined {
  if (header === undefined || header === '') return undefined;
  const [scheme, token, ...rest] = header.split(' ');
  return scheme?.toLowerCase() === 'bearer' && token && rest.length === 0 ? token : null;
}
