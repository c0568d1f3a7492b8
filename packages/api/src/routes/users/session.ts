import type { SessionAnswer } from '../../answers/session.ts';
import { tokenExpiry } from '../../auth/access-token.ts';
import { FLY_CLIENT } from '../../auth/clients.ts';
import { authenticated, open } from '../../auth/guards.ts';
import { issueToken } from '../../auth/logins.ts';
import { unauthorized } from '../../auth/refusals.ts';
import { csrfToken, tokenOf } from '../../auth/session-cookies.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { unixSeconds } from '../../json/unix-seconds.ts';
import { userJson } from '../../json/user-json.ts';

/** The session of a browser, and the token that it hands to fly. */
export function sessionRoutes({ pool, clusterName }: ApiContext): Router {
  const app = createRouter();
  const named = clusterName !== undefined && { cluster_name: clusterName };

  app.get(`${API}/seaplane/session`, open(), (c): SessionAnswer => {
    const { requester } = c.var;
    const token = tokenOf(c);
    if (requester.kind !== 'user' || token === undefined) return { user: null, ...named };
    const csrf = csrfToken(c);
    return {
      user: userJson(requester),
      expires_at: unixSeconds(tokenExpiry(token)),
      ...(csrf !== undefined && { csrf_token: csrf }),
      ...named,
    };
  });

  // The token ends with the session, so that nobody can stay signed in by asking again and again.
  app.post(`${API}/seaplane/fly-token`, authenticated(), async (c) => {
    const own = tokenOf(c);
    if (own === undefined) throw unauthorized();
    const token = await issueToken(pool, { ...c.var.requester.claims, audience: FLY_CLIENT }, tokenExpiry(own));
    return { token: `bearer ${token}` };
  });
  return app;
}
