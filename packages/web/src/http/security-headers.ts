import type { MiddlewareHandler } from 'hono';

/**
 * On every response, as Concourse sends them. A handler may set a Content-Security-Policy or Cache-Control of its own;
 * without one, nothing that is answered may load or run anything, or be kept.
 */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    c.header('X-Frame-Options', 'deny');
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('X-Download-Options', 'noopen');
    c.header('Referrer-Policy', 'no-referrer');
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store, private');
    if (!c.res.headers.has('Content-Security-Policy')) {
      c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    }
  };
}
