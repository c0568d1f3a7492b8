/** How often a page asks by itself: without the stream, and with it, in case a change was not announced. */
const ALONE_MS = 5_000;
const LIVE_MS = 60_000;
/** A page that changes all the time is read at most this often. */
const LEAST_MS = 200;
/** A list that takes long to load is asked for less often: the server has other pages to serve. */
const REST_FACTOR = 4;

/** How long to wait for the next request that nobody asked for. */
export function intervalFor(isLive: boolean, isMoving: boolean): number {
  return isLive && !isMoving ? LIVE_MS : ALONE_MS;
}

/** How long to wait for the next request after a change, when the last one began and took so long. */
export function delayAfterChange(now: number, lastStart: number, lastTookMs: number): number {
  return Math.max(0, lastStart + lastTookMs + Math.max(LEAST_MS, lastTookMs * REST_FACTOR) - now);
}
