import type { JsonObject } from '@seaplane/config';
import {
  clearResourceCaches,
  clearVersions,
  listPipelines,
  listResources,
  listSharedBy,
  listTypes,
  type SharedName,
  setPinComment,
  unpin,
} from '@seaplane/db';
import type { SharedAnswer, SharedNameAnswer } from '../../answers/resource.ts';
import { ApiError } from '../../api-error.ts';
import { namedType, resource } from '../../auth/finders.ts';
import { admin, notArchived, open, pipeline, teamPipeline } from '../../auth/guards.ts';
import { may, teamsFor } from '../../auth/requester.ts';
import { clearCachesBody, pinCommentBody } from '../../bodies.ts';
import type { ApiContext } from '../../context.ts';
import { API, PIPELINE, RESOURCE, RESOURCE_TYPE } from '../../http/paths.ts';
import { readJson, readOptionalJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { resourcesJson } from '../../json/resource-json.ts';

/** Resources and resource types. Their versions are in versions.ts, their checks in checks.ts. */
export function resourceRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/resources`, open(), async (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListAllResources');
    const pipelines = await listPipelines(pool, teamIds ? { teamIds, orPublic: true } : {});
    const resources = await listResources(
      pool,
      pipelines.map(({ id }) => id),
    );
    return resourcesJson(pool, resources, pipelines);
  });

  app.get(`${PIPELINE}/resources`, pipeline(pool, 'ListResources'), async (c) => {
    const resources = await listResources(pool, [c.var.pipeline.id]);
    const byName = resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return resourcesJson(pool, byName, [c.var.pipeline]);
  });

  app.get(RESOURCE, pipeline(pool, 'GetResource'), resource(pool), async (c) => {
    const [json] = await resourcesJson(pool, [c.var.resource], [c.var.pipeline]);
    if (!json) throw new Error('a resource that was found is not in its pipeline');
    return json;
  });

  app.get(`${PIPELINE}/resource-types`, pipeline(pool, 'ListResourceTypes'), async (c) => {
    const types = await listTypes(pool, 'resource_type', c.var.pipeline.id);
    const ofTeam = may(c.var.requester, 'ListResourceTypes', c.var.pipeline.teamId);
    return types.flatMap(({ config }) => (config ? [ofTeam ? config : withoutSecrets(config)] : []));
  });

  app.put(`${RESOURCE}/unpin`, teamPipeline(pool, 'UnpinResource'), notArchived(), resource(pool), async (c) => {
    const { id, name } = c.var.resource;
    const done = await unpin(pool, id);
    if (done !== 'in-config') return;
    throw new ApiError('conflict', `resource '${name}' is pinned in the pipeline's configuration: unpin it there`);
  });

  app.put(
    `${RESOURCE}/pin_comment`,
    teamPipeline(pool, 'SetPinCommentOnResource'),
    notArchived(),
    resource(pool),
    async (c) => {
      const { pin_comment: comment } = await readJson(c, pinCommentBody);
      if (await setPinComment(pool, c.var.resource.id, comment)) return;
      throw new ApiError('not-found', `Resource '${c.var.resource.name}' is not pinned.`);
    },
  );

  app.delete(`${RESOURCE}/versions`, admin(), teamPipeline(pool, 'GetResource'), resource(pool), async (c) => {
    const { scopeId } = c.var.resource;
    return { versions_removed: scopeId === undefined ? 0 : await clearVersions(pool, scopeId) };
  });

  app.delete(`${RESOURCE}/cache`, teamPipeline(pool, 'ClearResourceCache'), resource(pool), async (c) => {
    const { version } = await readOptionalJson(c, clearCachesBody);
    return { caches_removed: await clearResourceCaches(pool, c.var.resource.id, version ?? undefined) };
  });

  app.get(`${RESOURCE}/shared`, admin(), teamPipeline(pool, 'GetResource'), resource(pool), (c) =>
    sharedJson(c.var.resource.scopeId),
  );

  const types = namedType(pool, 'resource_type');
  app.delete(`${RESOURCE_TYPE}/versions`, admin(), teamPipeline(pool, 'GetResource'), types, async (c) => {
    const { scopeId } = c.var.type;
    return { versions_removed: scopeId === undefined ? 0 : await clearVersions(pool, scopeId) };
  });

  app.get(`${RESOURCE_TYPE}/shared`, admin(), teamPipeline(pool, 'GetResource'), types, (c) =>
    sharedJson(c.var.type.scopeId),
  );

  async function sharedJson(scopeId: number | undefined): Promise<SharedAnswer> {
    const none = { resources: [], resourceTypes: [] };
    const { resources, resourceTypes } = scopeId === undefined ? none : await listSharedBy(pool, scopeId);
    return { resources: resources.map(sharedNameJson), resource_types: resourceTypes.map(sharedNameJson) };
  }
  return app;
}

function sharedNameJson({ name, pipelineName, teamName }: SharedName): SharedNameAnswer {
  return { name, pipeline_name: pipelineName, team_name: teamName };
}

/** The part of a type that everybody who sees its pipeline may see. */
function withoutSecrets({ source: _, params: __, defaults: ___, ...rest }: JsonObject): JsonObject {
  return rest;
}
