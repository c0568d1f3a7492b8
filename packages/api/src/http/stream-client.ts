import type { Context } from 'hono';
import type { Requester } from '../auth/requester.ts';
import { senderAddress } from './sender-address.ts';

/** By whom streams are counted. Users have their own. Those who are not logged in share those of their address. */
export function streamClient(c: Context, requester: Requester): string {
  return requester.kind === 'user' ? `user ${requester.claims.sub}` : `address ${senderAddress(c)}`;
}
