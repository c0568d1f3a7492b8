import { findWorkerArtifact } from '@seaplane/db';
import { ApiError } from '../../api-error.ts';
import { team } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { gunzip, gzip } from '../../http/gzip.ts';
import { parseId } from '../../http/numbers.ts';
import { TEAM } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { artifactJson } from '../../json/artifact-json.ts';

/** The directories that `fly execute` uploads and downloads: gzip'd tar archives here, plain ones in the store. */
export function artifactRoutes({ pool, artifacts }: ApiContext): Router {
  const app = createRouter();

  app.post(`${TEAM}/artifacts`, team(pool, 'CreateArtifact'), async (c) => {
    const { body, signal } = c.req.raw;
    if (!body) throw new ApiError('bad-request', 'there is nothing to upload');
    let malformed: Error | undefined;
    const tar = gunzip(body, (error) => {
      malformed = error;
    });
    const platform = c.req.query('platform');
    const request = { teamId: c.var.team.id, tar, tags: c.req.queries('tags') ?? [], ...(platform && { platform }) };
    try {
      const artifact = await artifacts.upload(request, signal);
      c.status(201);
      return artifactJson(artifact);
    } catch (error) {
      if (malformed) throw new ApiError('bad-request', `the upload is not a gzip'd archive: ${malformed.message}`);
      throw error;
    }
  });

  app.get(`${TEAM}/artifacts/:artifact`, team(pool, 'GetArtifact'), async (c) => {
    const id = parseId(c.req.param('artifact'));
    const found = id === undefined ? undefined : await findWorkerArtifact(pool, id);
    const own = found?.teamId === c.var.team.id ? found : undefined;
    const tar = own && (await artifacts.download(own, c.req.raw.signal));
    if (!tar) throw new ApiError('not-found', `There is no artifact '${c.req.param('artifact')}'.`);
    return c.body(gzip(tar), 200, { 'Content-Type': 'application/octet-stream' });
  });
  return app;
}
