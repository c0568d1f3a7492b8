import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Grant } from '../protocol/grant.ts';
import { type Authority, deriveAuthority } from './authority.ts';

/** Makes tokens. Its holder can grant anything on every sandbox, so only web has one. */
export interface Signer {
  /** The key with which a sandbox verifies tokens of this signer. Not secret. */
  readonly publicKey: string;
  sign(grant: Grant): string;
  /** The authority of the worker with this name: always the same for this signer's key. */
  authorityOf(worker: string): Promise<Authority>;
}

export interface Keys {
  /** PKCS #8, base64url. */
  readonly privateKey: string;
  /** The 32 bytes of an Ed25519 key, base64url. */
  readonly publicKey: string;
}

/** The SPKI form of an Ed25519 key ends with the bytes of the key. */
const KEY_BYTES = 32;

export function generateKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    publicKey: publicText(publicKey),
  };
}

export function createSigner(privateKey: string): Signer {
  const secret = Buffer.from(privateKey, 'base64url');
  const key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  return {
    publicKey: publicText(createPublicKey(key)),
    sign(grant) {
      const body = Buffer.from(JSON.stringify(grant)).toString('base64url');
      return `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`;
    },
    authorityOf: (worker) => deriveAuthority(secret, worker),
  };
}

function publicText(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES).toString('base64url');
}
