import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** An error in the form whose details `fly` prints. */
export function problem(c: Context, status: ContentfulStatusCode, title: string, detail: string): Response {
  const body = { errors: [{ title, detail, status: String(status) }] };
  return c.body(JSON.stringify(body), status, { 'Content-Type': 'application/vnd.api+json' });
}

export function notFound(c: Context, detail: string): Response {
  return problem(c, 404, 'Not Found', detail);
}

/** Mistakes in what was sent, as `fly set-pipeline` lists them. */
export function invalid(c: Context, errors: readonly string[]): Response {
  return c.json({ errors }, 400);
}

export function unauthorized(c: Context): Response {
  return c.text('not authorized', 401);
}

export function forbidden(c: Context, reason = 'forbidden'): Response {
  return c.text(reason, 403);
}
