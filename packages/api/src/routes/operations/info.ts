import { type Account, listAccountsSince } from '@seaplane/db';
import type { AccountAnswer, InfoAnswer } from '../../answers/info.ts';
import { ApiError } from '../../api-error.ts';
import { admin, authenticated, open } from '../../auth/guards.ts';
import { type ApiContext, LOG_LEVELS } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { readText } from '../../http/read-text.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { unixSeconds } from '../../json/unix-seconds.ts';
import { userJson } from '../../json/user-json.ts';
import { type OptionalFields, withoutEmpty } from '../../json/without-empty.ts';
import { CONCOURSE_VERSION, WORKER_VERSION } from '../../version.ts';

/** This installation and its users. */
export function infoRoutes(context: ApiContext): Router {
  const {
    pool,
    externalUrl,
    clusterName,
    logLevel,
    credentialManagers = {},
    redactSecrets = true,
    concourseVersion = CONCOURSE_VERSION,
  } = context;
  const app = createRouter();

  app.get(`${API}/info`, open(), () => ({
    version: concourseVersion,
    worker_version: WORKER_VERSION,
    feature_flags: {
      global_resources: false,
      redact_secrets: redactSecrets,
      build_rerun: false,
      across_step: true,
      pipeline_instances: true,
      cache_streamed_volumes: true,
      resource_causality: true,
    },
    ...withoutEmpty<OptionalFields<InfoAnswer>>({ external_url: externalUrl, cluster_name: clusterName }),
  }));

  app.get(`${API}/info/creds`, admin(), () => credentialManagers);

  app.get(`${API}/log-level`, admin(), (c) => c.text(logLevel.get()));

  app.put(`${API}/log-level`, admin(), async (c) => {
    const asked = await readText(c);
    const level = LOG_LEVELS.find((each) => each === asked);
    if (!level) throw new ApiError('bad-request', `the level is not one of ${LOG_LEVELS.join(', ')}`);
    logLevel.set(level);
  });

  app.get(`${API}/user`, authenticated(), (c) => userJson(c.var.requester));

  app.get(`${API}/users`, admin(), async (c) => {
    const text = c.req.query('since') ?? '';
    const since = text === '' ? new Date(0) : parseDate(text);
    if (!since) throw wrongDate();
    return (await listAccountsSince(pool, since)).map(accountJson);
  });
  return app;
}

function accountJson({ id, username, connector, lastLoginAt, sub }: Account): AccountAnswer {
  const last_login = unixSeconds(lastLoginAt);
  return withoutEmpty<OptionalFields<AccountAnswer>>({ id, username, connector, last_login, sub });
}

function wrongDate(): ApiError {
  const error = 'wrong date format (yyyy-mm-dd)';
  return new ApiError('bad-request', error, { json: { error } });
}

/** Refuses days that no month has, such as `2026-02-29`. */
function parseDate(text: string): Date | undefined {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined;
}
