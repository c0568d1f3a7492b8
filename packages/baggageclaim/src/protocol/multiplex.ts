import type { Http2Session } from 'node:http2';

/**
 * One connection that carries many streams, as HTTP/2: a machine that dialled web, or the relay of a store. Web is the client.
 * Both sides end a connection on which the other has not answered for this long.
 */
const PING_MS = 15_000;

/** Streams carry whole artifacts: small windows would make them wait for each other's answers. */
export const STREAM_WINDOW = 1024 * 1024;
const SESSION_WINDOW = 8 * 1024 * 1024;
/** In MB. Each stream may hold its window; the default of 10 refuses new streams while a few are slow. */
export const SESSION_MEMORY = 1024;

export interface Sleeper {
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Destroys the session when the other side has not answered a ping before the next is due. Sets its window. */
export function keepAlive(session: Http2Session, clock: Sleeper): void {
  const over = new AbortController();
  session.on('close', () => over.abort());
  session.on('error', () => {}); // `close` follows
  const start = async () => {
    if (session.connecting) await new Promise((resolve) => session.once('connect', resolve));
    session.setLocalWindowSize(SESSION_WINDOW);
    for (;;) {
      let answered = false;
      session.ping((error) => {
        answered = !error;
      });
      await clock.sleep(PING_MS, over.signal);
      if (!answered) return session.destroy(new Error('the other side does not answer'));
    }
  };
  start().catch(() => session.destroy());
}
