import { once } from 'node:events';
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, isIP } from 'node:net';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { SESSION_MEMORY, STREAM_WINDOW } from '../../protocol/multiplex.ts';
import { SIDECAR_PORT } from '../../protocol/places.ts';
import { type AppContext, bearer, errorAnswer } from '../http/app.ts';
import { type Listener, placeOf } from '../runtime/runtime.ts';
import { carry } from './carry.ts';

/** A running step has one to three. */
const MOST_STREAMS = 100_000;

/**
 * Serves the relay of a store: HTTP/2, in which each CONNECT is a connection to the sidecar port of one address. The token of
 * the request names the address; nothing else can be reached. The bytes are TLS between web and the server there.
 */
export async function serveRelay(context: Pick<AppContext, 'verify' | 'now'>, at: string): Promise<Listener> {
  const place = placeOf(at);
  const settings = { initialWindowSize: STREAM_WINDOW, maxConcurrentStreams: MOST_STREAMS };
  const server = createServer({ settings, maxSessionMemory: SESSION_MEMORY });
  const sessions = new Set<Http2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {}); // `close` follows
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {}); // web has left
    addressFor(context, headers).then(
      (host) => stream.destroyed || carry(stream, { host, port: SIDECAR_PORT }),
      (error: Error) =>
        stream.destroyed || stream.respond({ ':status': errorAnswer(error).status }, { endStream: true }),
    );
  });
  server.listen(place.port, place.hostname);
  await once(server, 'listening');
  return {
    address: `${place.hostname}:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

async function addressFor(
  { verify, now }: Pick<AppContext, 'verify' | 'now'>,
  { ':method': method, authorization }: IncomingHttpHeaders,
): Promise<string> {
  if (method !== 'CONNECT') throw new BaggageclaimError('not-found', 'the relay only connects');
  const { scope } = await verify(bearer(authorization), now());
  const address = scope.find((each) => each.startsWith('relay:'))?.slice('relay:'.length);
  if (address === undefined) throw new BaggageclaimError('forbidden', 'the token is not for the relay');
  if (!isIP(address)) throw new BaggageclaimError('bad-request', 'the token of the relay does not name an address');
  return address;
}
