import type { Context } from 'hono';

// fly reads JSON in a 404, of which it prints the details. Of any other answer it prints the body as it is.

export function notFound(c: Context, detail: string): Response {
  const body = { errors: [{ title: 'Not Found', detail, status: '404' }] };
  return c.body(JSON.stringify(body), 404, { 'Content-Type': 'application/vnd.api+json' });
}

export function badRequest(c: Context, mistake: string): Response {
  return c.text(mistake, 400);
}

export function unauthorized(c: Context): Response {
  return c.text('not authorized', 401);
}

export function forbidden(c: Context, reason = 'forbidden'): Response {
  return c.text(reason, 403);
}
