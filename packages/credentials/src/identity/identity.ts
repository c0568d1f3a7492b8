import type { JsonObject } from '@seaplane/config';

export type IdentityAlgorithm = 'RS256' | 'ES256';

/** Under which name web signs identity tokens, and with which keys. */
export interface Identity {
  /** The `iss` of tokens: the URL below which `/.well-known/openid-configuration` is found. */
  readonly issuer: string;
  /** The key that signs. Undefined: none was made yet. */
  newestKey(algorithm: IdentityAlgorithm): Promise<PrivateKey | undefined>;
}

export interface PrivateKey {
  readonly id: string;
  readonly privateJwk: JsonObject;
}
