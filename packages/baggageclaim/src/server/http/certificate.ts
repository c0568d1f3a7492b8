/** PEM, for a TLS server. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const TAG = { integer: 0x02, bits: 0x03, oid: 0x06, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 } as const;
const OID = { ecdsaWithSha256: '2a8648ce3d040302', commonName: '550403' } as const;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Makes a self-signed certificate in memory, in a few milliseconds. TLS with it hides the bytes from the network, but does
 * not prove who answers.
 */
export async function selfSignedCertificate(name: string): Promise<Certificate> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ECDSA, true, ['sign']);
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256));
  const attribute = der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, Buffer.from(name.slice(0, 64))));
  const subject = der(TAG.sequence, der(TAG.set, attribute));
  const body = der(
    TAG.sequence,
    integer(crypto.getRandomValues(Buffer.alloc(16))),
    algorithm,
    subject,
    der(TAG.sequence, time('200101000000Z'), time('491231235959Z')), // the clock of a pod may be wrong
    subject,
    Buffer.from(await crypto.subtle.exportKey('spki', publicKey)),
  );
  const signature = Buffer.from(await crypto.subtle.sign(ECDSA, privateKey, body));
  const numbers = der(TAG.sequence, integer(signature.subarray(0, 32)), integer(signature.subarray(32)));
  return {
    cert: pem('CERTIFICATE', der(TAG.sequence, body, algorithm, der(TAG.bits, Buffer.from([0]), numbers))),
    key: pem('PRIVATE KEY', Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey))),
  };
}

/** A value of the Distinguished Encoding Rules: tag, length, content. */
function der(tag: number, ...parts: Uint8Array<ArrayBuffer>[]): Buffer<ArrayBuffer> {
  const { length } = Buffer.concat(parts);
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), ...parts]);
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
