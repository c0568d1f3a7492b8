import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip as packWithGzip } from 'node:zlib';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ApiRoutes, NotJson, RouteName } from '../answers/routes.ts';
import type { ApiEnv } from '../auth/authenticate.ts';
import { JsonText } from './json-text.ts';

/** Shorter answers fit into a packet. */
const GZIP_FROM = 1_400;
const gzip = promisify(packWithGzip);

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
type PathOf<M extends Method> = RouteName extends infer R ? (R extends `${M} ${infer P}` ? P : never) : never;
type AnswerOf<R> = R extends RouteName ? ApiRoutes[R]['answer'] : never;

/** A handler returns its JSON, nothing, or a whole response where the answer is not JSON. */
type Reply<Answer> = [Answer] extends [undefined]
  ? Promise<void>
  : Answer extends NotJson
    ? Response | Promise<Response>
    : Answer | JsonText<Answer> | Promise<Answer | JsonText<Answer>>;

type Handler<Found, P extends string, Answer> = (
  c: Context<{ Variables: ApiEnv['Variables'] & Found }, P>,
) => Reply<Answer>;

/** A guard, or a finder that runs after one. It hands on what it has found, or throws the refusal. */
export type Guard<Found extends object = object> = MiddlewareHandler<{ Variables: ApiEnv['Variables'] & Found }>;

interface Add<M extends Method> {
  <P extends PathOf<M>, A extends object>(path: P, a: Guard<A>, handler: Handler<A, P, AnswerOf<`${M} ${P}`>>): void;
  <P extends PathOf<M>, A extends object, B extends object>(
    path: P,
    a: Guard<A>,
    b: Guard<B>,
    handler: Handler<A & B, P, AnswerOf<`${M} ${P}`>>,
  ): void;
  <P extends PathOf<M>, A extends object, B extends object, C extends object>(
    path: P,
    a: Guard<A>,
    b: Guard<B>,
    c: Guard<C>,
    handler: Handler<A & B & C, P, AnswerOf<`${M} ${P}`>>,
  ): void;
}

/**
 * Routes of the table in `answers/routes.ts`. A path that is not in the table, or a handler that returns another answer
 * than the table has, does not compile. Every route names a guard first.
 */
export interface Router {
  readonly get: Add<'GET'>;
  readonly put: Add<'PUT'>;
  readonly post: Add<'POST'>;
  readonly delete: Add<'DELETE'>;
  /** The hono application with the routes. */
  readonly hono: Hono<ApiEnv>;
}

type Step = MiddlewareHandler | ((c: Context) => unknown);

export function createRouter(): Router {
  const hono = new Hono<ApiEnv>();
  const add =
    (method: Method) =>
    (path: string, ...steps: readonly Step[]): void => {
      const guards = steps.slice(0, -1) as MiddlewareHandler[];
      const handler = steps.at(-1) as (c: Context) => unknown;
      hono.on(method, [path], ...guards, async (c) => reply(c, await handler(c)));
    };
  return { get: add('GET'), put: add('PUT'), post: add('POST'), delete: add('DELETE'), hono };
}

/**
 * The status is 200 unless the handler has set another. A requester who has the same JSON already gets none. Longer JSON is
 * sent gzip'd to those who accept it.
 */
async function reply(c: Context, answer: unknown): Promise<Response> {
  if (answer instanceof Response) return answer;
  if (answer === undefined) return c.body(null);
  const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer);
  if (c.req.method === 'GET') {
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    c.header('ETag', etag);
    if (c.req.header('If-None-Match') === etag) return c.body(null, 304);
  }
  c.header('Content-Type', 'application/json');
  if (text.length < GZIP_FROM) return c.body(text);
  c.header('Vary', 'Accept-Encoding', { append: true });
  if (!accepts(c, 'gzip')) return c.body(text);
  c.header('Content-Encoding', 'gzip');
  return c.body(await gzip(text, { level: constants.Z_BEST_SPEED }));
}

function accepts(c: Context, encoding: string): boolean {
  return (c.req.header('Accept-Encoding') ?? '').split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
