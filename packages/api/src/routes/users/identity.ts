import { Hono } from 'hono';
import type { ApiContext } from '../../context.ts';

/**
 * Where other services find the keys that identity tokens are verified with: OpenID Connect Discovery, as
 * `atc/api/idtokenserver` answers it. Open to everybody.
 */
export function identityRoutes({ externalUrl, identityIssuer = externalUrl, identityKeys }: ApiContext): Hono {
  const app = new Hono();

  app.get('/.well-known/openid-configuration', (c) =>
    c.json({
      issuer: identityIssuer,
      jwks_uri: `${identityIssuer}/.well-known/jwks.json`,
      claims_supported: ['aud', 'iat', 'iss', 'sub'],
      response_types_supported: ['idtoken'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      subject_types_supported: ['public'],
    }),
  );

  app.get('/.well-known/jwks.json', async (c) => c.json({ keys: await identityKeys() }));
  return app;
}
