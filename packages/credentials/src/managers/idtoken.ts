import { formatInstanceVars, type JsonObject, parseDuration } from '@seaplane/config';
import { importJWK, SignJWT } from 'jose';
import { CredentialError } from '../credential-error.ts';
import type { Identity, IdentityAlgorithm } from '../identity/identity.ts';
import type { ManagerType, VarScope } from '../manager.ts';

interface IdTokenConfig {
  readonly audience?: readonly string[];
  readonly subject_scope?: string;
  readonly expires_in?: string;
  readonly algorithm?: IdentityAlgorithm;
}

/**
 * Tokens that web signs: they say for which team, pipeline and job they were made, and other services can verify them.
 * Facts: `atc/creds/idtoken`.
 */
export const idtoken: ManagerType = {
  type: 'idtoken',
  async open(config, { clock, identity }) {
    return {
      paths: (name, scope) => [JSON.stringify([name, scope])],
      async read(path, scope) {
        if (JSON.parse(path)[0] !== 'token') {
          throw new CredentialError('unknown-variable', "idtoken credential provider only supports the field 'token'");
        }
        const now = clock.now();
        const value = await signToken(identity, config as IdTokenConfig, scope, now);
        return { value, expiresAt: now }; // each lookup gets a token with its full lifetime
      },
      [Symbol.asyncDispose]: async () => {},
    };
  },
};

async function signToken(identity: Identity, config: IdTokenConfig, scope: VarScope, now: Date): Promise<string> {
  const { audience = [], subject_scope: subjectScope = 'pipeline', expires_in: expiresIn = '1h' } = config;
  const alg = config.algorithm ?? 'RS256';
  const key = await identity.newestKey(alg);
  if (!key) throw new CredentialError('unavailable', `there is no key yet to sign ${alg} tokens with`);
  const claims = {
    ...claimsOf(scope),
    iss: identity.issuer,
    sub: subjectOf(scope, subjectScope),
    ...(audience.length > 0 && { aud: [...audience] }),
    iat: seconds(now.getTime()),
    exp: seconds(now.getTime() + parseDuration(expiresIn)),
  };
  return new SignJWT(claims).setProtectedHeader({ alg, kid: key.id }).sign(await importJWK(key.privateJwk, alg));
}

function claimsOf({ team, pipeline = '', job = '', instanceVars = {} }: VarScope): JsonObject {
  const hasVars = Object.keys(instanceVars).length > 0;
  return { team, pipeline, job, ...(hasVars && { instance_vars: instanceVars }) };
}

function subjectOf({ team, pipeline = '', job = '', instanceVars = {} }: VarScope, scope: string): string {
  const parts = [team, pipeline, formatInstanceVars(instanceVars), job];
  return parts
    .slice(0, PARTS[scope] ?? 2)
    .map((part) => part.replaceAll('/', '%2F'))
    .join('/');
}

/** How many parts a subject has, by its scope. */
const PARTS: Readonly<Record<string, number>> = { team: 1, pipeline: 2, instance: 3, job: 4 };

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
