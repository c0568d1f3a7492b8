import { type Context, Hono } from 'hono';
import { ApiError } from '../../api-error.ts';
import { isClient } from '../../auth/clients.ts';
import type { Logins } from '../../auth/logins.ts';
import { readText } from '../../http/read-text.ts';
import { senderAddress } from '../../http/sender-address.ts';

/** Everybody may send a login form, and fly's is short. */
export const MAX_FORM_BYTES = 64 * 1024;
const SCOPES = ['openid', 'offline_access', 'email', 'profile', 'groups', 'federated:id'];

/**
 * Tokens for users, by the password grant of OAuth 2 (docs/concourse/fly-api.md, section 2). The errors are worded as
 * dex words them.
 */
export function loginRoutes(logins: Logins): Hono {
  const app = new Hono();

  app.post('/sky/issuer/token', async (c) => {
    const form = new URLSearchParams(await readText(c, MAX_FORM_BYTES));
    if (form.get('grant_type') !== 'password') throw oauthError('bad-request', 'unsupported_grant_type');
    const client = clientOf(c, form);
    const scopes = (form.get('scope') ?? '').split(/\s+/).filter(Boolean);
    if (!scopes.includes('openid')) {
      throw oauthError('bad-request', 'invalid_request', 'Missing required scope(s) ["openid"].');
    }
    const unknown = scopes.filter((scope) => !SCOPES.includes(scope));
    if (unknown.length > 0) {
      const list = unknown.map((scope) => JSON.stringify(scope)).join(' ');
      throw oauthError('bad-request', 'invalid_request', `Unrecognized scope(s) [${list}]`);
    }
    const attempt = { name: form.get('username') ?? '', address: senderAddress(c) };
    const issued = await logins.logIn({ ...attempt, password: form.get('password') ?? '' }, client);
    if (!issued) throw oauthError('unauthorized', 'access_denied', 'Invalid username or password');
    return c.json({ access_token: issued.token, token_type: 'bearer', expires_in: issued.lifetimeSeconds });
  });
  return app;
}

/** The client that asks for a token, by HTTP Basic or in the form. fly tries the first, then the second. */
function clientOf(c: Context, form: URLSearchParams): string {
  let [id, secret] = [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  const basic = /^basic (.*)$/i.exec(c.req.header('Authorization') ?? '')?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString();
    const at = text.indexOf(':');
    const [encodedId, encodedSecret] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    try {
      [id, secret] = [unescapeQuery(encodedId), unescapeQuery(encodedSecret)];
    } catch {
      throw oauthError('bad-request', 'invalid_request', 'client_id or client_secret improperly encoded');
    }
  }
  if (!isClient(id, secret)) throw oauthError('unauthorized', 'invalid_client', 'Invalid client credentials.');
  return id;
}

function unescapeQuery(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function oauthError(code: 'bad-request' | 'unauthorized', error: string, description?: string): ApiError {
  const json = { error, ...(description !== undefined && { error_description: description }) };
  return new ApiError(code, description ?? error, { json });
}
