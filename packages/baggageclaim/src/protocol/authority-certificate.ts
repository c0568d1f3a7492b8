import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { signCertificate } from './certificate.ts';

/** The certificate of an authority, from its key (PKCS #8, base64url). Each call makes another one, and all are equally good. */
export async function authorityCertificate(authorityKey: string): Promise<string> {
  return certificateOf(createPrivateKey({ key: Buffer.from(authorityKey, 'base64url'), format: 'der', type: 'pkcs8' }));
}

export function certificateOf(key: KeyObject): Promise<string> {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return signCertificate({ publicKey }, async (body) => sign('sha256', body, { key, dsaEncoding: 'ieee-p1363' }));
}
