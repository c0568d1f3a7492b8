import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { AnswerDial } from '../boot/index.ts';

const PATH = /^\/workers\/([^/?]+)\/dial$/;
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Opens the WebSockets of machines that are workers of this web. Returns a handler for the `upgrade` event of an HTTP
 * server, which returns false for every other request.
 */
export function dialUpgrade(
  answerOf: (worker: string) => AnswerDial | undefined,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  return (request, socket, head) => {
    const [, name] = PATH.exec(request.url ?? '') ?? [];
    if (name === undefined) return false;
    socket.on('error', () => {}); // `close` follows
    const answer = answerOf(decoded(name));
    if (!answer) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    else server.handleUpgrade(request, socket, head, (opened) => answer(createWebSocketStream(opened)));
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
