import type { BunGlobal, BunServer, BunWebSocket } from './bun-types.ts';
import { type Listener, type Peer, placeOf, type ServeOptions, type SocketHandler } from './runtime.ts';

interface SocketData {
  readonly handler: SocketHandler;
  /** Set while a sender waits for room. */
  room: PromiseWithResolvers<void> | undefined;
}

type Socket = BunWebSocket<SocketData>;

export async function bunServe(bun: BunGlobal, options: ServeOptions): Promise<Listener> {
  const { at, fetch, certificate, upgrade } = options;
  const place = placeOf(at);
  const server = bun.serve({
    ...place,
    ...(certificate && { tls: certificate }),
    // A volume may have any size and take any time, so no request has a limit.
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request: Request, inner: BunServer) {
      if (!upgrade || request.headers.get('Upgrade')?.toLowerCase() !== 'websocket') return fetch(request);
      const handler = await upgrade(request);
      if (handler instanceof Response) return handler;
      const data: SocketData = { handler, room: undefined };
      return inner.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      idleTimeout: 0,
      open: (socket: Socket) => socket.data.handler.onOpen(peerOf(socket)),
      message: (socket: Socket, message: string | Uint8Array) => socket.data.handler.onMessage(message.toString()),
      drain: (socket: Socket) => socket.data.room?.resolve(),
      close(socket: Socket) {
        socket.data.room?.resolve();
        socket.data.handler.onClose();
      },
    },
  });
  return { address: `${place.hostname}:${server.port}`, stop: () => server.stop(true) };
}

function peerOf(socket: Socket): Peer {
  return {
    async send(text) {
      if (socket.send(text) !== -1) return;
      socket.data.room = Promise.withResolvers();
      await socket.data.room.promise;
    },
    close: (code, reason) => socket.close(code, reason),
  };
}
