import type { MiddlewareHandler } from 'hono';

/**
 * Sets the security headers that Concourse sends on every response. A handler may set its own Content-Security-Policy or
 * Cache-Control. The defaults allow a response to load nothing, run nothing, and be stored nowhere. Whether browsers must
 * use HTTPS is for the operator to say.
 */
export function securityHeaders(strictTransportSecurity?: string): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (strictTransportSecurity) c.header('Strict-Transport-Security', strictTransportSecurity);
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
