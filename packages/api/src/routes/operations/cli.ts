import { ApiError } from '../../api-error.ts';
import { open } from '../../auth/guards.ts';
import { openFly } from '../../cli/open-fly.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';

/** Keeps the path within the directory, too. */
const NAME = /^[a-z0-9]+$/;

/** fly itself, for `fly sync`. */
export function cliRoutes({ flyDirectory, externalUrl }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/cli`, open(), async (c) => {
    const [platform, arch] = [(c.req.query('platform') ?? '').toLowerCase(), c.req.query('arch') ?? ''];
    if (!NAME.test(platform) || !NAME.test(arch))
      throw new ApiError('bad-request', 'give a platform and an arch, such as linux and amd64');
    const fly = flyDirectory === undefined ? undefined : await openFly(flyDirectory, platform, arch);
    if (!fly) {
      const where = `${externalUrl}/download-fly`;
      throw new ApiError('not-found', `This installation has no fly for ${platform} on ${arch}: see ${where}`);
    }
    return c.body(ReadableStream.from(fly.content) as ReadableStream<Uint8Array>, 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(fly.size),
      'Content-Disposition': `attachment; filename=${fly.name}`,
      'Last-Modified': fly.modifiedAt.toUTCString(),
    });
  });
  return app;
}
