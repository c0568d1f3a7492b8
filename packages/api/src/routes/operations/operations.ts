import { clearWall, listComponents, pauseAllComponents, pauseComponent, readWall, setWall } from '@seaplane/db';
import type { WallAnswer } from '../../answers/info.ts';
import { ApiError } from '../../api-error.ts';
import { admin, open } from '../../auth/guards.ts';
import { wallBody } from '../../bodies.ts';
import type { ApiContext } from '../../context.ts';
import { API } from '../../http/paths.ts';
import { readJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { type OptionalFields, withoutEmpty } from '../../json/without-empty.ts';

/** Go's durations are in nanoseconds. */
const NS_PER_MS = 1_000_000;
const NEVER = '0001-01-01T00:00:00Z';

/** For operators: the message to all users, and the loops of web. */
export function operationRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/wall`, open(), async () => {
    const wall = await readWall(pool);
    const TTL = wall?.remainingMs && Math.round(wall.remainingMs * NS_PER_MS);
    return withoutEmpty<OptionalFields<WallAnswer>>({ message: wall?.message, TTL });
  });

  app.put(`${API}/wall`, admin(), async (c) => {
    const { message, TTL: ttl } = await readJson(c, wallBody);
    if (message === '') throw new ApiError('bad-request', 'Wall message cannot be empty');
    await setWall(pool, message, ttl === 0 ? undefined : ttl / NS_PER_MS);
  });

  app.delete(`${API}/wall`, admin(), async () => {
    await clearWall(pool);
  });

  app.get(`${API}/components`, admin(), async () => {
    return (await listComponents(pool)).map(({ name, intervalMs, lastRanAt, paused }) => ({
      name,
      interval: intervalMs * NS_PER_MS,
      last_ran: lastRanAt?.toISOString() ?? NEVER,
      paused,
    }));
  });

  for (const [route, paused] of [
    ['pause', true],
    ['unpause', false],
  ] as const) {
    app.put(`${API}/components/${route}`, admin(), async () => {
      await pauseAllComponents(pool, paused);
    });

    app.put(`${API}/components/:component/${route}`, admin(), async (c) => {
      const name = c.req.param('component');
      if (!(await pauseComponent(pool, name, paused))) {
        throw new ApiError('not-found', `There is no component '${name}'.`);
      }
    });
  }
  return app;
}
