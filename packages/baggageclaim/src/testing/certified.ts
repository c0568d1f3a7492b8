import { deriveAuthority } from '../client/authority.ts';
import { type Certificate, serverCertificate } from '../protocol/certificate.ts';
import type { ServerIdentity } from '../protocol/messages.ts';

/** A server's certificate, and what its clients expect. Each call has an authority of its own, unless a secret is given. */
export async function certified(
  name: string,
  secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
): Promise<{ certificate: Certificate; server: ServerIdentity }> {
  const authority = await deriveAuthority(secret, 'test');
  return {
    certificate: await serverCertificate(name, authority.key),
    server: { name, authority: authority.certificate },
  };
}
