import type { Context } from 'hono';
import { parseId } from './numbers.ts';

const DEFAULT_LIMIT = 100;
/** Everybody may ask for lists of public pipelines, and web holds a page in memory. */
const LARGEST_LIMIT = 1000;

/** A part of a long list. `from` and `to` are ids, both inclusive, or with `timestamps` seconds since 1970. */
export interface Range {
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
  readonly timestamps?: boolean;
}

/** The range that a request asks for. Undefined if the range cannot hold anything. */
export function rangeOf(c: Context): Range | undefined {
  const [from, to] = [parseId(c.req.query('from')), parseId(c.req.query('to'))];
  if (from !== undefined && to !== undefined && from > to) return undefined;
  return {
    limit: Math.min(parseId(c.req.query('limit')) || DEFAULT_LIMIT, LARGEST_LIMIT),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(c.req.query('timestamps') && { timestamps: true }),
  };
}

export interface Neighbours {
  readonly older?: number;
  readonly newer?: number;
}

/** Links to the pages before and after (RFC 5988). The links also carry `query`. */
export function linkNeighbours(c: Context, base: string, { limit }: Range, page: Neighbours, query = ''): void {
  const url = `${base}${new URL(c.req.url).pathname}`;
  const rest = `limit=${limit}${query && `&${query}`}`;
  if (page.older !== undefined) c.header('Link', `<${url}?to=${page.older}&${rest}>; rel="next"`, { append: true });
  if (page.newer !== undefined) {
    c.header('Link', `<${url}?from=${page.newer}&${rest}>; rel="previous"`, { append: true });
  }
}
