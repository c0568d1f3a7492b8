import { createPrivateKey, hkdfSync } from 'node:crypto';
import { certificateOf } from '../protocol/authority-certificate.ts';

/** Signs the certificates of a worker's sidecars and store, so that clients know who answers. */
export interface Authority {
  /** PKCS #8, base64url. For the worker's sidecars and store, and nobody else. */
  readonly key: string;
  /** PEM. Not secret. */
  readonly certificate: string;
}

/** The order of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** PKCS #8 of a P-256 key, up to its 32 bytes. */
const KEY_START = Buffer.from('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'hex');

/**
 * Derives the authority of a worker from web's own key. It is the same on every web and after a restart, and neither web's
 * key nor the authority of another worker can be found from it.
 */
export async function deriveAuthority(secret: Uint8Array, worker: string): Promise<Authority> {
  // 48 bytes, so that the remainder favours no number.
  const bytes = hkdfSync('sha256', secret, '', `seaplane authority of ${worker}`, 48);
  const number = (BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % (ORDER - 1n)) + 1n;
  const start = Buffer.concat([KEY_START, Buffer.from(number.toString(16).padStart(64, '0'), 'hex')]);
  const key = createPrivateKey({ key: start, format: 'der', type: 'pkcs8' });
  return {
    key: key.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    certificate: await certificateOf(key),
  };
}
