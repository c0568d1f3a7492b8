import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DialTaker } from '@seaplane/orchestrator';
import { createWebSocketStream, WebSocketServer } from 'ws';

const PATH = /^\/workers\/([^/?]+)\/dial$/;
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Opens the WebSockets of machines that are workers of this web. Returns a handler for the `upgrade` event of an HTTP
 * server, which returns false for every other request.
 */
export function dialUpgrade(
  takerOf: (worker: string) => Pick<DialTaker, 'answer'> | undefined,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  return (request, socket, head) => {
    const [, name] = PATH.exec(request.url ?? '') ?? [];
    if (name === undefined) return false;
    socket.on('error', () => {}); // `close` follows
    const taker = takerOf(decoded(name));
    if (!taker) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    else server.handleUpgrade(request, socket, head, (opened) => taker.answer(createWebSocketStream(opened)));
    return true;
  };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // no worker has a name like this
  }
}
