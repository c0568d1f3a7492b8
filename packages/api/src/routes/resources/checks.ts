import { ConfigError, type Version } from '@seaplane/config';
import { type Checkable, findPipeline, findResource, findTeam } from '@seaplane/db';
import type { Context } from 'hono';
import type { BuildAnswer } from '../../answers/build.ts';
import { ApiError } from '../../api-error.ts';
import { namedType, resource } from '../../auth/finders.ts';
import { notArchived, open, teamPipeline } from '../../auth/guards.ts';
import { unauthorized } from '../../auth/refusals.ts';
import { nameOf, type Requester } from '../../auth/requester.ts';
import { isSameSecret } from '../../auth/same-secret.ts';
import { checkBody } from '../../bodies.ts';
import type { ApiContext, RequestedCheck } from '../../context.ts';
import { PIPELINE, RESOURCE, RESOURCE_TYPE } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { readJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { buildJson } from '../../json/build-json.ts';

/** Checks that users ask for, and checks that webhooks ask for. */
export function checkRoutes(context: ApiContext): Router {
  const { pool, checks, variables } = context;
  const app = createRouter();

  app.post(`${RESOURCE}/check`, teamPipeline(pool, 'CheckResource'), notArchived(), resource(pool), async (c) =>
    startCheck(c, { resourceId: c.var.resource.id }, await readCheck(c, c.var.requester)),
  );

  const types = namedType(pool, 'resource_type');
  app.post(`${RESOURCE_TYPE}/check`, teamPipeline(pool, 'CheckResourceType'), notArchived(), types, async (c) =>
    startCheck(c, { resourceTypeId: c.var.type.id }, await readCheck(c, c.var.requester)),
  );

  const prototypes = namedType(pool, 'prototype');
  const prototype = `${PIPELINE}/prototypes/:type` as const;
  app.post(`${prototype}/check`, teamPipeline(pool, 'CheckPrototype'), notArchived(), prototypes, async (c) =>
    startCheck(c, { prototypeId: c.var.type.id }, await readCheck(c, c.var.requester)),
  );

  // For every sender that knows the resource's webhook token.
  app.post(`${RESOURCE}/check/webhook`, open(), async (c) => {
    const token = c.req.query('webhook_token');
    if (!token) throw new ApiError('bad-request', 'webhook_token is missing');
    const found = await findForWebhook(c);
    const own = found.resource.config?.['webhook_token'];
    const expected =
      typeof own === 'string' && own ? await variables.interpolate(found.pipeline, own, c.req.raw.signal) : '';
    if (expected === '' || !isSameSecret(token, expected)) throw unauthorized();
    return startCheck(c, { resourceId: found.resource.id }, { shallow: true });
  });

  async function findForWebhook(c: Context) {
    const ref = pipelineRef(c);
    const name = c.req.param('resource') ?? '';
    const owner = await findTeam(pool, c.req.param('team') ?? '');
    const pipeline = owner && (await findPipeline(pool, owner.id, ref));
    const found = pipeline && (await findResource(pool, pipeline.id, name));
    if (!pipeline || !found)
      throw new ApiError('not-found', `There is no resource '${name}' in pipeline '${ref.name}'.`);
    return { pipeline, resource: found };
  }

  async function startCheck(c: Context, of: Checkable, request: RequestedCheck): Promise<BuildAnswer> {
    try {
      const build = await checks.start(of, request);
      c.status(201);
      return buildJson(build);
    } catch (error) {
      if (error instanceof ConfigError) throw new ApiError('failed', error.message);
      throw error;
    }
  }
  return app;
}

async function readCheck(c: Context, requester: Requester): Promise<RequestedCheck> {
  const { from, shallow } = await readJson(c, checkBody);
  const createdBy = nameOf(requester);
  return { shallow, ...(from && { from: from as Version }), ...(createdBy && { createdBy }) };
}
