import { ConfigError, type Version } from '@seaplane/config';
import { type Checkable, findPipeline, findResource, findTeam } from '@seaplane/db';
import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { namedType, resource } from '../../auth/finders.ts';
import { notArchived, open, teamPipeline } from '../../auth/guards.ts';
import { nameOf, type Requester } from '../../auth/requester.ts';
import { isSameSecret } from '../../auth/same-secret.ts';
import type { ApiContext, CheckRequest } from '../../context.ts';
import { PIPELINE, RESOURCE, RESOURCE_TYPE } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { badRequest, notFound, unauthorized } from '../../http/problem.ts';
import { readJson } from '../../http/read-json.ts';
import { buildJson } from '../../json/build-json.ts';

const checkBody = v.object({
  from: v.nullish(v.record(v.string(), v.string())),
  shallow: v.optional(v.boolean(), false),
});

/** Checks that somebody asks for: users, and the hosts of resources by webhook. */
export function checkRoutes(context: ApiContext): Hono<ApiEnv> {
  const { pool, checks, variables } = context;
  const app = new Hono<ApiEnv>();

  app.post(`${RESOURCE}/check`, teamPipeline(pool, 'CheckResource'), notArchived(), resource(pool), async (c) =>
    answerCheck(c, { resourceId: c.var.resource.id }, await readRequest(c, c.var.requester)),
  );

  const types = namedType(pool, 'resource_type');
  app.post(`${RESOURCE_TYPE}/check`, teamPipeline(pool, 'CheckResourceType'), notArchived(), types, async (c) =>
    answerCheck(c, { resourceTypeId: c.var.type.id }, await readRequest(c, c.var.requester)),
  );

  const prototypes = namedType(pool, 'prototype');
  const prototype = `${PIPELINE}/prototypes/:type` as const;
  app.post(`${prototype}/check`, teamPipeline(pool, 'CheckPrototype'), notArchived(), prototypes, async (c) =>
    answerCheck(c, { prototypeId: c.var.type.id }, await readRequest(c, c.var.requester)),
  );

  // For who knows the resource's own token, whoever they are.
  app.post(`${RESOURCE}/check/webhook`, open(), async (c) => {
    const token = c.req.query('webhook_token');
    if (!token) return badRequest(c, 'webhook_token is missing');
    const found = await findForWebhook(c);
    if (found instanceof Response) return found;
    const own = found.resource.config?.['webhook_token'];
    const expected =
      typeof own === 'string' && own ? await variables.interpolate(found.pipeline, own, c.req.raw.signal) : '';
    if (expected === '' || !isSameSecret(token, expected)) return unauthorized(c);
    return answerCheck(c, { resourceId: found.resource.id }, { shallow: true });
  });

  async function findForWebhook(c: Context) {
    const ref = pipelineRef(c);
    const name = c.req.param('resource') ?? '';
    const owner = await findTeam(pool, c.req.param('team') ?? '');
    const pipeline = owner && (await findPipeline(pool, owner.id, ref));
    const found = pipeline && (await findResource(pool, pipeline.id, name));
    if (!pipeline || !found) return notFound(c, `There is no resource '${name}' in pipeline '${ref.name}'.`);
    return { pipeline, resource: found };
  }

  async function answerCheck(c: Context, of: Checkable, request: CheckRequest): Promise<Response> {
    try {
      return c.json(buildJson(await checks.start(of, request)), 201);
    } catch (error) {
      if (error instanceof ConfigError) return c.text(error.message, 500);
      throw error;
    }
  }
  return app;
}

async function readRequest(c: Context, requester: Requester): Promise<CheckRequest> {
  const { from, shallow } = await readJson(c, checkBody);
  const createdBy = nameOf(requester);
  return { shallow, ...(from && { from: from as Version }), ...(createdBy && { createdBy }) };
}
