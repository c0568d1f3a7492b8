import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorAnswer } from './app.ts';
import type { Certificate } from './certificate.ts';

export interface Listener {
  /** `host:port`, with the port that was chosen if 0 was asked for. */
  readonly address: string;
  /** Cuts what is under way off. */
  stop(): Promise<void>;
}

/** The other side of a WebSocket. */
export interface Peer {
  /** Resolves when there is room for more. */
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
}

export interface SocketHandler {
  open(peer: Peer): void;
  message(text: string): void;
  closed(): void;
}

export interface ListenOptions {
  readonly at: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Without one it is plain HTTP. */
  readonly certificate?: Certificate;
  /** Who talks on a WebSocket that this request opens; throws what a request is refused with. */
  readonly upgrade?: (request: Request) => SocketHandler;
}

/** Serves by Bun's own server where there is one, else by Node's. */
export function listen(options: ListenOptions): Promise<Listener> {
  const [, hostname, port] = /^(.+):(\d+)$/.exec(options.at) ?? [];
  if (!hostname || !port) throw new Error(`not an address to listen at: ${options.at} (HOST:PORT)`);
  const place = { hostname, port: Number(port) };
  return typeof Bun === 'undefined' ? listenOnNode(options, place) : listenOnBun(options, place);
}

interface Place {
  readonly hostname: string;
  readonly port: number;
}

/** The parts of Bun that are used. */
interface BunSocket {
  readonly data: { handler: SocketHandler; drained: PromiseWithResolvers<void> | undefined };
  send(text: string): number;
  close(code: number, reason: string): void;
}
interface BunServer {
  readonly port: number;
  upgrade(request: Request, options: { data: BunSocket['data'] }): boolean;
  stop(now: boolean): Promise<void>;
}
declare const Bun: { serve(options: object): BunServer } | undefined;

async function listenOnBun({ fetch, certificate, upgrade }: ListenOptions, place: Place): Promise<Listener> {
  const server = (Bun as NonNullable<typeof Bun>).serve({
    ...place,
    ...(certificate && { tls: certificate }),
    // A volume may be of any size and take any time: no request is cut off.
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request: Request, inner: BunServer) {
      if (!upgrade || !isUpgrade(request)) return fetch(request);
      try {
        const data = { handler: upgrade(request), drained: undefined };
        return inner.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
      } catch (error) {
        const { status, body } = errorAnswer(error as Error);
        return Response.json(body, { status });
      }
    },
    websocket: {
      idleTimeout: 0,
      open: (socket: BunSocket) => socket.data.handler.open(bunPeer(socket)),
      message: (socket: BunSocket, message: string | Buffer) => socket.data.handler.message(message.toString()),
      close: (socket: BunSocket) => {
        socket.data.drained?.resolve();
        socket.data.handler.closed();
      },
      drain: (socket: BunSocket) => socket.data.drained?.resolve(),
    },
  });
  return { address: `${place.hostname}:${server.port}`, stop: () => server.stop(true) };
}

function bunPeer(socket: BunSocket): Peer {
  return {
    async send(text) {
      if (socket.send(text) !== -1) return; // -1: taken, but there is no room for more
      socket.data.drained = Promise.withResolvers();
      await socket.data.drained.promise;
    },
    close: (code, reason) => socket.close(code, reason),
  };
}

async function listenOnNode({ fetch, certificate, upgrade }: ListenOptions, place: Place): Promise<Listener> {
  const listener = getRequestListener(fetch);
  const limits = { requestTimeout: 0 };
  const server = certificate
    ? createServer({ ...certificate, ...limits }, listener)
    : createPlainServer(limits, listener);
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (incoming, socket, head) => {
    const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url}`;
    try {
      const request = new Request(url, { headers: incoming.headers as Record<string, string> });
      const handler = upgrade?.(request);
      if (!handler) throw new Error('no WebSockets here');
      sockets.handleUpgrade(incoming, socket, head, (ws) => attach(ws, handler));
    } catch (error) {
      const { status, body } = errorAnswer(error as Error);
      const text = JSON.stringify(body);
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    }
  });
  server.listen(place.port, place.hostname);
  await once(server, 'listening');
  return {
    address: `${place.hostname}:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const ws of sockets.clients) ws.terminate();
      await closed;
    },
  };
}

function attach(ws: WebSocket, handler: SocketHandler): void {
  ws.on('message', (data) => handler.message(data.toString()));
  ws.on('close', () => handler.closed());
  ws.on('error', () => ws.terminate());
  handler.open({
    send: (text) => new Promise((resolve) => ws.send(text, () => resolve())),
    close: (code, reason) => ws.close(code, reason),
  });
}

function isUpgrade(request: Request): boolean {
  return request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
}
