import { findWorkerArtifact } from '@seaplane/db';
import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { team } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { gunzip, gzip } from '../../http/gzip.ts';
import { parseId } from '../../http/numbers.ts';
import { TEAM } from '../../http/paths.ts';
import { badRequest, notFound } from '../../http/problem.ts';
import { artifactJson } from '../../json/artifact-json.ts';

/** What `fly execute` sends and takes: gzip'd tar archives, plain ones inside. */
export function artifactRoutes({ pool, artifacts }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.post(`${TEAM}/artifacts`, team(pool, 'CreateArtifact'), async (c) => {
    const { body, signal } = c.req.raw;
    if (!body) return badRequest(c, 'there is nothing to upload');
    let malformed: Error | undefined;
    const tar = gunzip(body, (error) => {
      malformed = error;
    });
    const platform = c.req.query('platform');
    const request = { teamId: c.var.team.id, tar, tags: c.req.queries('tags') ?? [], ...(platform && { platform }) };
    try {
      return c.json(artifactJson(await artifacts.upload(request, signal)), 201);
    } catch (error) {
      if (malformed) return badRequest(c, `the upload is not a gzip'd archive: ${malformed.message}`);
      throw error;
    }
  });

  app.get(`${TEAM}/artifacts/:artifact`, team(pool, 'GetArtifact'), async (c) => {
    const id = parseId(c.req.param('artifact'));
    const found = id === undefined ? undefined : await findWorkerArtifact(pool, id);
    const own = found?.teamId === c.var.team.id ? found : undefined;
    const tar = own && (await artifacts.download(own, c.req.raw.signal));
    if (!tar) return notFound(c, `There is no artifact '${c.req.param('artifact')}'.`);
    return c.body(gzip(tar), 200, { 'Content-Type': 'application/octet-stream' });
  });
  return app;
}
