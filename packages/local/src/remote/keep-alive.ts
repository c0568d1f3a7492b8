import type { Http2Session } from 'node:http2';
import type { Clock } from '@seaplane/orchestrator';
import { PING_MS, SESSION_WINDOW } from './protocol.ts';

/** Destroys the session when the other side has not answered a ping before the next is due. Sets its window. */
export function keepAlive(session: Http2Session, clock: Clock): void {
  const over = new AbortController();
  session.on('close', () => over.abort());
  session.on('error', () => {}); // `close` follows
  const start = async () => {
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
