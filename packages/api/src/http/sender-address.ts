import type { Context } from 'hono';

/** The part of the HTTP server's request that tells the address. Requests that come by no connection have none. */
interface Connection {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string } };
}

/**
 * The address of the connection that a request came by. Behind a proxy this is the proxy's address: headers about the
 * address are not believed, because everybody can send them.
 */
export function senderAddress(c: Context): string {
  return (c.env as Connection | undefined)?.incoming?.socket.remoteAddress ?? '';
}
