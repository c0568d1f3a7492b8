import type { MiddlewareHandler } from 'hono';

/**
 * Sets the security headers that Concourse sends on every response. A handler may set its own Content-Security-Policy or
 * Cache-Control. The defaults allow a response to load nothing, run nothing, and be stored nowhere.
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
