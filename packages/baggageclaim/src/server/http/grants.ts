import type { webcrypto } from 'node:crypto';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Grant, GrantScope } from '../../protocol/grant.ts';
import { isWithin } from '../trees/is-within.ts';

/** Verifies a token and returns its grant. Rejects with `unauthorized` and the reason. */
export type Verifier = (token: string | undefined, nowSeconds: number) => Promise<Grant>;

/** How long an expired token is still accepted, since the clocks of machines differ. */
const CLOCK_SKEW_SECONDS = 30;

/** Accepts tokens for `audience` that are signed with one of these keys (32 bytes of Ed25519, base64url). */
export async function createVerifier(audience: string, publicKeys: readonly string[]): Promise<Verifier> {
  const keys = await Promise.all(publicKeys.map(importKey));
  return async (token, nowSeconds) => {
    if (!token) throw refused('the request carries no token');
    const [body = '', signature = '', ...more] = token.split('.');
    const signed = await Promise.all(keys.map((key) => isSigned(key, body, signature)));
    if (more.length > 0 || !signed.includes(true)) throw refused("the token is not signed by this sandbox's web");
    const grant = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Grant;
    if (grant.aud !== audience) throw refused(`the token is for ${grant.aud}, and this is ${audience}`);
    if (nowSeconds > grant.exp + CLOCK_SKEW_SECONDS) {
      throw refused(`the token expired at ${new Date(grant.exp * 1000).toISOString()}: do the clocks agree?`);
    }
    return grant;
  };
}

/** Throws `forbidden` unless the grant has this scope. */
export function requireScope(grant: Grant, scope: Exclude<GrantScope, `read:${string}`>): void {
  if (!grant.scope.includes(scope)) throw forbidden(scope, grant);
}

/** Throws `forbidden` unless the grant has the scope to read `path` or a directory above it. */
export function requireRead(grant: Grant, path: string): void {
  const allowed = grant.scope.some((scope) => scope.startsWith('read:') && isWithin(path, scope.slice('read:'.length)));
  if (!allowed) throw forbidden(`read:${path}`, grant);
}

async function importKey(text: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32) throw new Error(`not an Ed25519 public key (32 bytes, base64url): ${text.slice(0, 60)}`);
  return crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
}

async function isSigned(key: webcrypto.CryptoKey, body: string, signature: string): Promise<boolean> {
  return crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64url'), Buffer.from(body));
}

function forbidden(wanted: string, grant: Grant): BaggageclaimError {
  return new BaggageclaimError('forbidden', `the token is good for ${grant.scope.join(', ')}, not for ${wanted}`);
}

function refused(why: string): BaggageclaimError {
  return new BaggageclaimError('unauthorized', why);
}
