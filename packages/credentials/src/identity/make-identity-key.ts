import { generateKeyPair, type KeyObject, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { assertNever, type JsonObject } from '@seaplane/config';
import type { IdentityAlgorithm, PrivateKey } from './identity.ts';

/** As Concourse has it. */
const RSA_BITS = 4096;

const generate = promisify(generateKeyPair);

export interface IdentityKey extends PrivateKey {
  readonly algorithm: IdentityAlgorithm;
  readonly publicJwk: JsonObject;
}

/** A new key. An RSA key takes seconds on a slow machine, in a thread of Node's pool. */
export async function makeIdentityKey(algorithm: IdentityAlgorithm, rsaBits = RSA_BITS): Promise<IdentityKey> {
  const { publicKey, privateKey } = await keyPair(algorithm, rsaBits);
  const id = Array.from({ length: 18 }, () => randomInt(10)).join('');
  return { id, algorithm, publicJwk: jwkOf(publicKey), privateJwk: jwkOf(privateKey) };

  function jwkOf(key: KeyObject): JsonObject {
    return { ...(key.export({ format: 'jwk' }) as JsonObject), kid: id, alg: algorithm, use: 'sig' };
  }
}

function keyPair(
  algorithm: IdentityAlgorithm,
  modulusLength: number,
): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  switch (algorithm) {
    case 'RS256':
      return generate('rsa', { modulusLength });
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
    default:
      return assertNever(algorithm);
  }
}
