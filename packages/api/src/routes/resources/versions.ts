import { assertNever, instanceVarsQuery } from '@seaplane/config';
import {
  enableVersion,
  findVersion,
  listBuildsWithVersion,
  listVersions,
  pinVersion,
  readCausality,
} from '@seaplane/db';
import type { Context } from 'hono';
import { ApiError } from '../../api-error.ts';
import { resource } from '../../auth/finders.ts';
import { notArchived, pipeline, teamPipeline } from '../../auth/guards.ts';
import { may, type Requester } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { parseId } from '../../http/numbers.ts';
import { linkNeighbours, rangeOf } from '../../http/paging.ts';
import { RESOURCE, VERSION } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { buildJson } from '../../json/build-json.ts';
import { causalityJson } from '../../json/causality-json.ts';
import { versionJson } from '../../json/resource-json.ts';

/** Versions of resources. */
export function versionRoutes({ pool, externalUrl }: ApiContext): Router {
  const app = createRouter();

  app.get(`${RESOURCE}/versions`, pipeline(pool, 'ListResourceVersions'), resource(pool), async (c) => {
    const range = rangeOf(c);
    if (!range) throw new ApiError('not-found', 'There are no versions in this range: `from` is greater than `to`.');
    const page = await listVersions(pool, c.var.resource.id, filterOf(c), range);
    linkNeighbours(c, externalUrl, range, page, instanceVarsQuery(c.var.pipeline.instanceVars));
    const metadata = showsMetadata(c.var);
    return page.versions.map((version) => versionJson(version, { metadata }));
  });

  app.get(VERSION, pipeline(pool, 'GetResourceVersion'), resource(pool), async (c) => {
    const id = parseId(c.req.param('version'));
    if (id === undefined) throw notAVersion(c);
    const found = await findVersion(pool, c.var.resource.id, id);
    if (!found) throw noSuchVersion(c, id);
    return versionJson(found, { metadata: showsMetadata(c.var) });
  });

  for (const [action, route, enabled] of [
    ['EnableResourceVersion', 'enable', true],
    ['DisableResourceVersion', 'disable', false],
  ] as const) {
    app.put(`${VERSION}/${route}`, teamPipeline(pool, action), notArchived(), resource(pool), async (c) => {
      const id = parseId(c.req.param('version'));
      if (id === undefined) throw notAVersion(c);
      if (!(await enableVersion(pool, c.var.resource.id, id, enabled))) throw noSuchVersion(c, id);
    });
  }

  app.put(`${VERSION}/pin`, teamPipeline(pool, 'PinResourceVersion'), notArchived(), resource(pool), async (c) => {
    const id = parseId(c.req.param('version'));
    if (id === undefined) throw notAVersion(c);
    const result = await pinVersion(pool, c.var.resource.id, id);
    switch (result) {
      case 'done':
        return;
      case 'unknown':
        throw noSuchVersion(c, id);
      case 'in-config':
        throw new ApiError(
          'conflict',
          `resource '${c.var.resource.name}' is pinned in the pipeline's configuration: pin it there`,
        );
      default:
        return assertNever(result);
    }
  });

  for (const [action, route, as] of [
    ['ListBuildsWithVersionAsInput', 'input_to', 'input'],
    ['ListBuildsWithVersionAsOutput', 'output_of', 'output'],
  ] as const) {
    app.get(`${VERSION}/${route}`, pipeline(pool, action), resource(pool), async (c) => {
      const id = parseId(c.req.param('version')) ?? 0;
      const builds = await listBuildsWithVersion(pool, as, c.var.resource.id, id);
      return builds.map((build) => buildJson(build));
    });
  }

  for (const direction of ['downstream', 'upstream'] as const) {
    app.get(`${VERSION}/${direction}`, pipeline(pool, 'GetResourceVersion'), resource(pool), async (c) => {
      const id = parseId(c.req.param('version'));
      if (id === undefined) throw notAVersion(c);
      const { resource: of } = c.var;
      if (!(await findVersion(pool, of.id, id))) throw noSuchVersion(c, id);
      const causality = await readCausality(pool, of.id, id, direction);
      if (causality === 'too-many')
        throw new ApiError('unprocessable', `this version has too many builds ${direction}`);
      return causalityJson(causality, of.id, direction);
    });
  }
  return app;
}

/** Reads every `filter=KEY:VALUE`. A version must match all of them. */
function filterOf(c: Context): Record<string, string> {
  const given = (c.req.queries('filter') ?? []).flatMap((text) => {
    const at = text.indexOf(':');
    return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
  });
  return Object.fromEntries(given);
}

function showsMetadata(found: {
  readonly requester: Requester;
  readonly pipeline: { readonly teamId: number };
  readonly resource: { readonly public: boolean };
}): boolean {
  return found.resource.public || may(found.requester, 'ListResourceVersions', found.pipeline.teamId);
}

function notAVersion(c: Context): ApiError {
  return new ApiError('bad-request', `'${c.req.param('version')}' is not the number of a version`);
}

function noSuchVersion(c: Context, id: number): ApiError {
  return new ApiError('not-found', `Resource '${c.req.param('resource')}' has no version with the number ${id}.`);
}
