import { instanceVarsQuery } from '@seaplane/config';
import { type BuildFilter, listBuilds, type Pipeline } from '@seaplane/db';
import type { Context } from 'hono';
import type { BuildAnswer } from '../answers/build.ts';
import { ApiError } from '../api-error.ts';
import type { ApiContext } from '../context.ts';
import { buildJson } from '../json/build-json.ts';
import { linkNeighbours, rangeOf } from './paging.ts';

/** A page of builds, and links to its neighbours. `showComments`: the requester may see the comments of all builds. */
export async function pageOfBuilds(
  c: Context,
  { pool, externalUrl }: Pick<ApiContext, 'pool' | 'externalUrl'>,
  filter: BuildFilter,
  { pipeline, showComments = false }: { readonly pipeline?: Pipeline; readonly showComments?: boolean } = {},
): Promise<BuildAnswer[]> {
  const range = rangeOf(c);
  if (!range) throw new ApiError('not-found', 'There are no builds in this range: `from` is greater than `to`.');
  const page = await listBuilds(pool, filter, range);
  linkNeighbours(c, externalUrl, range, page, instanceVarsQuery(pipeline?.instanceVars));
  return page.builds.map((build) => buildJson(build, { comment: showComments }));
}
