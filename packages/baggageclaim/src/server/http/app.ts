import { type Context, Hono } from 'hono';
import { BaggageclaimError, STATUS } from '../../protocol/baggageclaim-error.ts';
import type { Grant } from '../../protocol/grant.ts';
import { type ErrorAnswer, type Health, PROTOCOL_HEADER, PROTOCOL_VERSION, ROUTES } from '../../protocol/messages.ts';
import type { Verifier } from './grants.ts';

export interface AppContext {
  readonly handle: string;
  readonly version: string;
  readonly verify: Verifier;
  readonly now: () => number;
}

export type App = Hono<{ Variables: { grant: Grant } }>;

/** The part of its health that each kind of server answers for itself. */
type ServerStatus = Pick<Health, 'supervisor' | 'witness'>;

/**
 * Makes the part that every server shares: health for everyone, and a token for everything else. `prefix` is in front of
 * the paths of all requests, where one listener serves several apps.
 */
export function createApp({ handle, version, verify, now }: AppContext, status: () => ServerStatus, prefix = ''): App {
  const app: App = new Hono({ getPath: (request) => pathAfter(prefix, request) });
  app.use('*', async (c, next) => {
    await next();
    c.header(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
  });
  app.get(ROUTES.health, (c) => c.json({ protocol: PROTOCOL_VERSION, version, handle, ...status() } satisfies Health));
  app.use('*', async (c, next) => {
    const spoken = c.req.header(PROTOCOL_HEADER) ?? String(PROTOCOL_VERSION);
    if (spoken !== String(PROTOCOL_VERSION)) throw otherProtocol(spoken);
    c.set('grant', await verify(bearer(c.req.header('Authorization')), now()));
    await next();
  });
  app.notFound((c) => answer(c, new BaggageclaimError('not-found', `no ${c.req.method} ${c.req.path} here`)));
  app.onError((error, c) => answer(c, error));
  return app;
}

/** The path of a request without the prefix of its server. */
export function pathAfter(prefix: string, { url }: Pick<Request, 'url'>): string {
  const { pathname } = new URL(url);
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
}

export function bearer(header: string | undefined): string | undefined {
  return /^Bearer (\S+)$/.exec(header ?? '')?.[1];
}

export function sendTar(c: Context, tar: ReadableStream<Uint8Array>): Response {
  return c.body(tar, 200, { 'Content-Type': 'application/x-tar' });
}

export function sendBytes(c: Context, bytes: Uint8Array): Response {
  return c.body(bytes as Uint8Array<ArrayBuffer>, 200, { 'Content-Type': 'application/octet-stream' });
}

export function required(c: Context, name: string): string {
  const value = c.req.query(name);
  if (!value) throw new BaggageclaimError('bad-request', `the query has no ${name}`);
  return value;
}

function otherProtocol(spoken: string): BaggageclaimError {
  return new BaggageclaimError('bad-request', `this sidecar speaks protocol ${PROTOCOL_VERSION}, not ${spoken}`);
}

/** The answer to a request that failed. An unexpected error is logged, too. */
export function errorAnswer(error: Error): { status: (typeof STATUS)[keyof typeof STATUS]; body: ErrorAnswer } {
  if (error instanceof BaggageclaimError && error.code in STATUS) {
    const code = error.code as keyof typeof STATUS;
    return { status: STATUS[code], body: { error: { code, message: error.message } } };
  }
  console.error(error);
  return { status: 500, body: { error: { code: 'internal', message: error.message } } };
}

function answer(c: Context, error: Error): Response {
  const { status, body } = errorAnswer(error);
  return c.json(body, status);
}
