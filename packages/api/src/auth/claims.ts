import type { JsonObject } from '@seaplane/config';
import * as v from 'valibot';

/** The user that a token stands for. */
export interface Claims {
  readonly sub: string;
  readonly name: string;
  /** The connector's id for the user. */
  readonly userId: string;
  /** The user's preferred name, or empty. */
  readonly userName: string;
  readonly email: string;
  readonly connector: string;
  readonly groups: readonly string[];
  /** The client that asked for the token. */
  readonly audience: string;
}

/** The claims of a local user. */
export function localUserClaims(name: string, audience: string): Claims {
  const connector = 'local';
  const sub = subject(name, connector);
  return { sub, name, userId: name, userName: '', email: name, connector, groups: [], audience };
}

/** The name that others see, for example as the creator of a build. */
export function displayName({ userName, userId, name }: Claims): string {
  return userName || userId || name;
}

const savedClaims = v.object({
  sub: v.string(),
  aud: v.string(),
  name: v.string(),
  email: v.string(),
  preferred_username: v.string(),
  groups: v.array(v.string()),
  federated_claims: v.object({ connector_id: v.string(), user_id: v.string() }),
});

/** The form in which claims are stored with a token: under the names of OpenID Connect. */
export function claimsToJson({ sub, audience, name, email, userName, groups, connector, userId }: Claims): JsonObject {
  return {
    sub,
    aud: audience,
    name,
    email,
    preferred_username: userName,
    groups,
    federated_claims: { connector_id: connector, user_id: userId },
  };
}

export function claimsFromJson(json: JsonObject): Claims {
  const saved = v.parse(savedClaims, json);
  return {
    sub: saved.sub,
    audience: saved.aud,
    name: saved.name,
    email: saved.email,
    userName: saved.preferred_username,
    groups: saved.groups,
    connector: saved.federated_claims.connector_id,
    userId: saved.federated_claims.user_id,
  };
}

/** dex's subject for a user of a connector: two strings in protobuf's encoding, in base64. */
function subject(userId: string, connector: string): string {
  const field = (number: number, text: string) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
  };
  return Buffer.concat([field(1, userId), field(2, connector)]).toString('base64url');
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
