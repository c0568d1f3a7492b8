import { Hono } from 'hono';
import { type ErrorAnswer, PROTOCOL_VERSION, ROUTES } from './protocol.ts';
import { VolumeError } from './volume-error.ts';
import { type Encoding, TAR, VOLUME_ERRORS, VOLUME_ROUTE, type VolumeServerHealth } from './volume-routes.ts';
import { getVolume, putVolume, type Volumes } from './volumes.ts';

export interface AppContext {
  readonly volumes: Volumes;
  readonly version: string;
  /** Seconds since the server started. */
  readonly uptime: () => number;
}

/** The server as one function from Request to Response, the same on every runtime. */
export function createApp({ volumes, version, uptime }: AppContext): Hono {
  const app = new Hono();

  app.get(ROUTES.health, (c) =>
    c.json({ version, protocol: PROTOCOL_VERSION, uptimeSeconds: uptime() } satisfies VolumeServerHealth),
  );

  app.put(VOLUME_ROUTE, async (c) => {
    const body = c.req.raw.body;
    if (!body) throw new VolumeError('bad-archive', 'the request has no body');
    await putVolume(volumes, c.req.param('name'), body, contentEncoding(c.req.header('Content-Encoding')));
    return c.body(null, 201);
  });

  app.get(VOLUME_ROUTE, async (c) => {
    const encoding: Encoding = accepts(c.req.header('Accept-Encoding'), 'zstd') ? 'zstd' : 'identity';
    const stream = await getVolume(volumes, c.req.param('name'), c.req.query('path') ?? '.', encoding);
    return c.body(stream, 200, {
      'Content-Type': TAR,
      ...(encoding === 'zstd' && { 'Content-Encoding': encoding }),
    });
  });

  app.onError((error, c) => {
    if (!(error instanceof VolumeError)) {
      console.error(error);
      return c.json({ error: { code: 'internal', message: error.message } } satisfies ErrorAnswer, 500);
    }
    const [status, code] = VOLUME_ERRORS[error.code];
    return c.json({ error: { code, message: error.message } } satisfies ErrorAnswer, status);
  });
  return app;
}

function contentEncoding(header = 'identity'): Encoding {
  if (header === 'identity' || header === 'zstd') return header;
  throw new VolumeError('bad-encoding', `Content-Encoding ${JSON.stringify(header)}: only zstd and identity are known`);
}

function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((part) => part.trim() === encoding);
}
