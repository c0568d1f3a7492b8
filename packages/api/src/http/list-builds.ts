import { type BuildFilter, listBuilds, type Pipeline } from '@seaplane/db';
import type { Context } from 'hono';
import type { ApiContext } from '../context.ts';
import { buildJson } from '../json/build-json.ts';
import { instanceVarsQuery } from './instance-vars.ts';
import { linkNeighbours, rangeOf } from './paging.ts';
import { notFound } from './problem.ts';

/** Answers with a page of builds. `showComments`: the requester may see the comments of all of them. */
export async function answerBuilds(
  c: Context,
  { pool, externalUrl }: Pick<ApiContext, 'pool' | 'externalUrl'>,
  filter: BuildFilter,
  { pipeline, showComments = false }: { readonly pipeline?: Pipeline; readonly showComments?: boolean } = {},
): Promise<Response> {
  const range = rangeOf(c);
  if (!range) return notFound(c, 'There are no builds in this range: `from` is greater than `to`.');
  const page = await listBuilds(pool, filter, range);
  linkNeighbours(c, externalUrl, range, page, instanceVarsQuery(pipeline?.instanceVars));
  return c.json(page.builds.map((build) => buildJson(build, { comment: showComments })));
}
