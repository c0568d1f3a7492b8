import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import { keepAlive, SESSION_MEMORY, type Sleeper, STREAM_WINDOW } from '../protocol/multiplex.ts';

/** Makes this side the client of a connection that carries many streams. The session owns the connection. */
export function multiplexed(connection: Duplex, clock: Sleeper): ClientHttp2Session {
  const session = connect('http://multiplexed', {
    createConnection: () => connection,
    settings: { initialWindowSize: STREAM_WINDOW },
    maxSessionMemory: SESSION_MEMORY,
  });
  keepAlive(session, clock);
  return session;
}

/** Opens a stream to where the other side understands `:authority` to lead. It fails with `words` of any status but 200. */
export function openStream(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders & { readonly ':authority': string },
  words: (status: number) => string,
): Duplex {
  const stream = session.request({ ':method': 'CONNECT', ...headers });
  stream.on('error', () => {}); // the request that goes over it gets the error, too
  stream.on('response', ({ ':status': status = 0 }) => {
    if (status !== 200) stream.destroy(new Error(words(status)));
  });
  return stream;
}
