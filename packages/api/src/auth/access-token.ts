import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 20;

/**
 * A new opaque token: twenty random bytes, then the expiry where `fly targets` reads it (unpadded base64 of 28 bytes, the
 * last eight a little-endian time).
 */
export function newAccessToken(expiresAt: Date): string {
  const expiry = Buffer.alloc(8);
  expiry.writeBigUInt64LE(BigInt(Math.floor(expiresAt.getTime() / 1000)));
  return Buffer.concat([randomBytes(RANDOM_BYTES), expiry])
    .toString('base64')
    .replaceAll('=', '');
}

/** When a token that the API issued expires. */
export function tokenExpiry(token: string): Date {
  return new Date(Number(Buffer.from(token, 'base64').readBigUInt64LE(RANDOM_BYTES)) * 1000);
}

/** The database stores this hash, so that nobody who reads the database can log in. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token of an `Authorization` header: undefined without a header, null if the header is not a bearer token. */
export function bearerToken(header: string | undefined): string | null | undefined {
  if (header === undefined || header === '') return undefined;
  const [scheme, token, ...rest] = header.split(' ');
  return scheme?.toLowerCase() === 'bearer' && token && rest.length === 0 ? token : null;
}
