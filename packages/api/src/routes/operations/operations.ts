import { clearWall, findComponent, listComponents, pauseComponent, readWall, setWall } from '@seaplane/db';
import { Hono } from 'hono';
import * as v from 'valibot';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { admin, open } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { notFound } from '../../http/problem.ts';
import { readJson } from '../../http/read-json.ts';
import { withoutEmpty } from '../../json/without-empty.ts';

/** Go's durations are in nanoseconds. */
const NS_PER_MS = 1_000_000;
const NEVER = '0001-01-01T00:00:00Z';

const wallBody = v.object({
  message: v.optional(v.string(), ''),
  TTL: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
});

/** For those who run the installation: the message to everybody, and the loops. */
export function operationRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/wall`, open(), async (c) => {
    const wall = await readWall(pool);
    return c.json(
      withoutEmpty({ message: wall?.message, TTL: wall?.remainingMs && Math.round(wall.remainingMs * NS_PER_MS) }),
    );
  });

  app.put(`${API}/wall`, admin(), async (c) => {
    const { message, TTL: ttl } = await readJson(c, wallBody);
    if (message === '') return c.text('Wall message cannot be empty', 400);
    await setWall(pool, message, ttl === 0 ? undefined : ttl / NS_PER_MS);
    return c.body(null, 200);
  });

  app.delete(`${API}/wall`, admin(), async (c) => {
    await clearWall(pool);
    return c.body(null, 200);
  });

  app.get(`${API}/components`, admin(), async (c) => {
    const components = await listComponents(pool);
    return c.json(
      components.map(({ name, intervalMs, lastRanAt, paused }) => ({
        name,
        interval: intervalMs * NS_PER_MS,
        last_ran: lastRanAt?.toISOString() ?? NEVER,
        paused,
      })),
    );
  });

  for (const [route, paused] of [
    ['pause', true],
    ['unpause', false],
  ] as const) {
    app.put(`${API}/components/${route}`, admin(), async (c) => {
      await pauseComponent(pool, 'all', paused);
      return c.body(null, 200);
    });

    app.put(`${API}/components/:component/${route}`, admin(), async (c) => {
      const name = c.req.param('component');
      if (!(await findComponent(pool, name))) return notFound(c, `There is no component '${name}'.`);
      await pauseComponent(pool, name, paused);
      return c.body(null, 200);
    });
  }
  return app;
}
