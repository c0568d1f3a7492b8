/** PEM, for a TLS server. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateBody {
  /** The name of the server. The authority's own certificate has none. */
  readonly name?: string;
  /** The key that the certificate is for: SPKI, DER. */
  readonly publicKey: Uint8Array;
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  version: 0xa0,
  extensions: 0xa3,
} as const;
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  subjectAltName: '551d11',
} as const;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const AUTHORITY_NAME = 'seaplane';

/**
 * Makes a key in memory and a certificate of it for the server with this name, signed with the key of its authority (PKCS #8,
 * base64url). Takes a few milliseconds. Clients that know the authority's certificate know from it who answers.
 */
export async function serverCertificate(name: string, authorityKey: string): Promise<Certificate> {
  const [{ publicKey, privateKey }, authority] = await Promise.all([
    crypto.subtle.generateKey(ECDSA, true, ['sign']),
    crypto.subtle.importKey('pkcs8', Buffer.from(authorityKey, 'base64url'), ECDSA, false, ['sign']),
  ]);
  const [spki, key] = await Promise.all([
    crypto.subtle.exportKey('spki', publicKey),
    crypto.subtle.exportKey('pkcs8', privateKey),
  ]);
  const cert = await signCertificate({ name, publicKey: Buffer.from(spki) }, async (body) =>
    Buffer.from(await crypto.subtle.sign(ECDSA, authority, body)),
  );
  return { cert, key: pem('PRIVATE KEY', Buffer.from(key)) };
}

/** Signs a certificate. `sign` returns a signature of 64 bytes: ECDSA with P-256 and SHA-256. */
export async function signCertificate(
  { name, publicKey }: CertificateBody,
  sign: (body: Uint8Array<ArrayBuffer>) => Promise<Buffer>,
): Promise<string> {
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256));
  const extension =
    name === undefined
      ? der(TAG.sequence, oid(OID.basicConstraints), octets(der(TAG.sequence, der(TAG.boolean, Buffer.from([0xff])))))
      : der(TAG.sequence, oid(OID.subjectAltName), octets(der(TAG.sequence, der(TAG.dnsName, Buffer.from(name)))));
  const body = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    integer(crypto.getRandomValues(Buffer.alloc(16))),
    algorithm,
    commonName(AUTHORITY_NAME),
    der(TAG.sequence, time('200101000000Z'), time('491231235959Z')), // the clock of a pod may be wrong
    commonName(name ?? AUTHORITY_NAME),
    Buffer.from(publicKey),
    der(TAG.extensions, der(TAG.sequence, extension)),
  );
  const signature = await sign(body);
  const numbers = der(
    TAG.sequence,
    integer(Buffer.from(signature.subarray(0, 32))),
    integer(Buffer.from(signature.subarray(32))),
  );
  return pem('CERTIFICATE', der(TAG.sequence, body, algorithm, der(TAG.bits, Buffer.from([0]), numbers)));
}

/** A value of the Distinguished Encoding Rules: tag, length, content. */
function der(tag: number, ...parts: Uint8Array<ArrayBuffer>[]): Buffer<ArrayBuffer> {
  const { length } = Buffer.concat(parts);
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), ...parts]);
}

function commonName(name: string): Buffer<ArrayBuffer> {
  const attribute = der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, Buffer.from(name.slice(0, 64))));
  return der(TAG.sequence, der(TAG.set, attribute));
}

function octets(content: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return der(TAG.octets, content);
}

/** A positive number, without leading zeros, except for one where the first bit would read as a minus. */
function integer(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return der(TAG.integer, (digits[0] as number) & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

function oid(hex: string): Buffer<ArrayBuffer> {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function time(text: string): Buffer<ArrayBuffer> {
  return der(TAG.time, Buffer.from(text));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
