import { afterEach, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
afterEach(() => api[Symbol.asyncDispose]());

test('[API-ID1] everybody finds the issuer of identity tokens and the address of its keys', async () => {
  api = await createTestApi({ identityIssuer: 'https://oidc.example' });
  const answer = await api.get('/.well-known/openid-configuration');
  expect(answer.headers.get('Content-Type')).toBe('application/json');
  expect(await answer.json()).toEqual({
    issuer: 'https://oidc.example',
    jwks_uri: 'https://oidc.example/.well-known/jwks.json',
    claims_supported: ['aud', 'iat', 'iss', 'sub'],
    response_types_supported: ['idtoken'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    subject_types_supported: ['public'],
  });
});

test('[API-ID1] without a setting, the external URL is the issuer', async () => {
  api = await createTestApi();
  const { externalUrl } = api.context;
  expect(await (await api.get('/.well-known/openid-configuration')).json()).toMatchObject({
    issuer: externalUrl,
    jwks_uri: `${externalUrl}/.well-known/jwks.json`,
  });
});

test('[API-ID2] everybody gets the public keys', async () => {
  api = await createTestApi();
  const answer = await api.get('/.well-known/jwks.json');
  expect(answer.headers.get('Content-Type')).toBe('application/json');
  expect(await answer.json()).toEqual({ keys: [{ kid: '1', kty: 'EC' }] });
});
