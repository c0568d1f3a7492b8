import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { open } from '../../auth/guards.ts';
import { openFly } from '../../cli/open-fly.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { badRequest, notFound } from '../../http/problem.ts';

/** Also what keeps a path within its directory. */
const NAME = /^[a-z0-9]+$/;

/** fly itself, for `fly sync`. */
export function cliRoutes({ flyDirectory }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/cli`, open(), async (c) => {
    if (flyDirectory === undefined) return notFound(c, 'This installation has no fly to download.');
    const [platform, arch] = [(c.req.query('platform') ?? '').toLowerCase(), c.req.query('arch') ?? ''];
    if (!NAME.test(platform) || !NAME.test(arch))
      return badRequest(c, 'give a platform and an arch, as linux and amd64');
    const fly = await openFly(flyDirectory, platform, arch);
    if (!fly) return notFound(c, `This installation has no fly for ${platform} on ${arch}.`);
    return c.body(ReadableStream.from(fly.content) as ReadableStream<Uint8Array>, 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(fly.size),
      'Content-Disposition': `attachment; filename=${fly.name}`,
      'Last-Modified': fly.modifiedAt.toUTCString(),
    });
  });
  return app;
}
