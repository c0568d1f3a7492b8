import { listAccountsSince } from '@seaplane/db';
import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { displayName } from '../../auth/claims.ts';
import { admin, authenticated, open } from '../../auth/guards.ts';
import type { User } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { unixSeconds } from '../../json/unix-seconds.ts';
import { withoutEmpty } from '../../json/without-empty.ts';
import { CONCOURSE_VERSION, WORKER_VERSION } from '../../version.ts';

/** What this installation is and who its users are. */
export function infoRoutes({ pool, externalUrl, clusterName, redactSecrets = true }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/info`, open(), (c) =>
    c.json({
      version: CONCOURSE_VERSION,
      worker_version: WORKER_VERSION,
      feature_flags: {
        global_resources: false,
        redact_secrets: redactSecrets,
        build_rerun: false,
        across_step: true,
        pipeline_instances: true,
        cache_streamed_volumes: true,
        resource_causality: false,
      },
      ...withoutEmpty({ external_url: externalUrl, cluster_name: clusterName }),
    }),
  );

  app.get(`${API}/user`, authenticated(), (c) => c.json(userInfo(c.var.requester as User)));

  app.get(`${API}/users`, admin(), async (c) => {
    const text = c.req.query('since') ?? '';
    const since = text === '' ? new Date(0) : parseDate(text);
    if (!since) return c.json({ error: 'wrong date format (yyyy-mm-dd)' }, 400);
    const accounts = await listAccountsSince(pool, since);
    return c.json(
      accounts.map(({ id, username, connector, lastLoginAt, sub }) =>
        withoutEmpty({ id, username, connector, last_login: unixSeconds(lastLoginAt), sub }),
      ),
    );
  });
  return app;
}

function userInfo({ claims, admin: isAdmin, teams }: User): object {
  return {
    sub: claims.sub,
    name: claims.name,
    user_id: claims.userId,
    user_name: claims.userName,
    email: claims.email,
    is_admin: isAdmin,
    is_system: false,
    teams: Object.fromEntries(teams.filter(({ roles }) => roles.length > 0).map(({ name, roles }) => [name, roles])),
    connector: claims.connector,
    display_user_id: displayName(claims),
  };
}

/** `2026-02-29` is no date. */
function parseDate(text: string): Date | undefined {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined;
}
