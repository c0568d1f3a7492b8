import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Where distributions have the authorities they trust, in one file: Debian and Alpine, Fedora, openSUSE, and others. The first one counts, as in Go. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The authorities that this machine, or the image that this process runs in, trusts and Node does not: PEM, one each. Node brings its own
 * list and reads no other, so an operator's own authority would not count. Read each time, because a mounted file changes.
 */
export function machineAuthorities(): string[] {
  const own = process.env['SSL_CERT_FILE'];
  for (const path of own ? [own] : BUNDLES) {
    const certificates = readText(path)?.match(CERTIFICATE);
    if (!certificates) continue;
    const known = new Set(rootCertificates.map(bare));
    return certificates.filter((certificate) => !known.has(bare(certificate)));
  }
  return [];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Two texts of one certificate differ only in white space. */
function bare(certificate: string): string {
  return certificate.replaceAll(/\s/g, '');
}
