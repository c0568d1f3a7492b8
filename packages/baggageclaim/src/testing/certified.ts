import { deriveAuthority } from '../client/authority.ts';
import { type Certificate, serverCertificate } from '../protocol/certificate.ts';
import type { ServerIdentity } from '../protocol/messages.ts';

/** A server's certificate, and what its clients expect. Each call has an authority of its own. */
export async function certified(name: string): Promise<{ certificate: Certificate; server: ServerIdentity }> {
  const authority = await deriveAuthority(crypto.getRandomValues(new Uint8Array(32)), 'test');
  return {
    certificate: await serverCertificate(name, authority.key),
    server: { name, authority: authority.certificate },
  };
}
