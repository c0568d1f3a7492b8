import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Listener, placeOf, type ServeOptions, type SocketHandler } from './runtime.ts';

export async function nodeServe({ at, fetch, certificate, upgrade }: ServeOptions): Promise<Listener> {
  const place = placeOf(at);
  const listener = getRequestListener(fetch);
  const limits = { requestTimeout: 0 }; // sending a volume may take any time
  const server = certificate
    ? createServer({ ...certificate, ...limits }, listener)
    : createPlainServer(limits, listener);
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', async (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url}`;
    const request = new Request(url, { headers: incoming.headers as Record<string, string> });
    const handler = (await upgrade?.(request)) ?? new Response('{}', { status: 404 });
    if (handler instanceof Response) await refuse(socket, handler);
    else sockets.handleUpgrade(incoming, socket, head, (ws) => attach(ws, handler));
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

async function refuse(socket: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  socket.write(`HTTP/1.1 ${answer.status} Refused\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.end(body);
}

function attach(ws: WebSocket, handler: SocketHandler): void {
  ws.on('message', (data) => handler.onMessage(data.toString()));
  ws.on('close', () => handler.onClose());
  ws.on('error', () => ws.terminate());
  handler.onOpen({
    send: (text) => new Promise((resolve) => ws.send(text, () => resolve())),
    close: (code, reason) => ws.close(code, reason),
  });
}
