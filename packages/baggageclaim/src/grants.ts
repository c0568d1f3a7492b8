import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { posix } from 'node:path';
import { BaggageclaimError } from './baggageclaim-error.ts';
import type { Grant, GrantScope } from './protocol.ts';

/** Makes tokens. Whoever has one can let anybody do anything to every sandbox: only web has it. */
export interface Signer {
  /** What a sandbox needs to know the tokens of this signer. Not secret. */
  readonly publicKey: string;
  sign(grant: Grant): string;
}

export interface Keys {
  /** PKCS #8, base64url. */
  readonly privateKey: string;
  /** The 32 bytes of an Ed25519 key, base64url. */
  readonly publicKey: string;
}

/** What comes before an Ed25519 key's 32 bytes in its SPKI form. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Clocks of different machines differ: a token that has just expired is still good for this long. */
const CLOCK_SKEW_SECONDS = 30;

export function generateKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    publicKey: publicText(publicKey),
  };
}

export function createSigner(privateKey: string): Signer {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' });
  return {
    publicKey: publicText(createPublicKey(key)),
    sign(grant) {
      const body = Buffer.from(JSON.stringify(grant)).toString('base64url');
      return `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`;
    },
  };
}

/** Reads a token of one of these keys that is for `audience` and has not expired; throws `unauthorized`, with why. */
export type Verifier = (token: string | undefined, nowSeconds: number) => Grant;

export function createVerifier(audience: string, publicKeys: readonly string[]): Verifier {
  const keys = publicKeys.map(parsePublicKey);
  return (token, nowSeconds) => {
    if (!token) throw refused('the request carries no token');
    const [body = '', signature = '', ...more] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    if (more.length > 0 || !keys.some((key) => verify(null, Buffer.from(body), key, bytes))) {
      throw refused("the token is not signed by this sandbox's web");
    }
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

/** Throws `forbidden` unless the grant lets its bearer read `path`: it, or a directory that it is in, is in the scope. */
export function requireRead(grant: Grant, path: string): void {
  const allowed = grant.scope.some((scope) => scope.startsWith('read:') && isWithin(path, scope.slice('read:'.length)));
  if (!allowed) throw forbidden(`read:${path}`, grant);
}

/** Whether a path is a directory or below it, by name alone. */
export function isWithin(path: string, directory: string): boolean {
  const [inner, outer] = [posix.resolve('/', path), posix.resolve('/', directory)];
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}

function forbidden(wanted: string, grant: Grant): BaggageclaimError {
  return new BaggageclaimError('forbidden', `the token is good for ${grant.scope.join(', ')}, not for ${wanted}`);
}

function refused(why: string): BaggageclaimError {
  return new BaggageclaimError('unauthorized', why);
}

function parsePublicKey(text: string): KeyObject {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32) throw new Error(`not an Ed25519 public key (32 bytes, base64url): ${text.slice(0, 60)}`);
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

function publicText(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length).toString('base64url');
}
