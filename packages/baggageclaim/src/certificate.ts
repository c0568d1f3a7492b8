import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** PEM, for a TLS server. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const TAG = { integer: 0x02, bits: 0x03, oid: 0x06, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 } as const;
const OID = { ecdsaWithSha256: '2a8648ce3d040302', commonName: '550403' } as const;

/**
 * A certificate that signs itself, made in memory in a few milliseconds. It keeps what is sent secret on the way;
 * it proves nothing about who answers.
 */
export function selfSignedCertificate(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256));
  const attribute = der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, Buffer.from(name.slice(0, 64))));
  const subject = der(TAG.sequence, der(TAG.set, attribute));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const body = der(
    TAG.sequence,
    der(TAG.integer, serial),
    algorithm,
    subject,
    der(TAG.sequence, time('200101000000Z'), time('491231235959Z')), // a pod's clock may be anything
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(TAG.bits, Buffer.from([0]), sign('sha256', body, privateKey));
  return {
    cert: pem('CERTIFICATE', der(TAG.sequence, body, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A value of the Distinguished Encoding Rules: tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const { length } = Buffer.concat(parts);
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), ...parts]);
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function time(text: string): Buffer {
  return der(TAG.time, Buffer.from(text));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
