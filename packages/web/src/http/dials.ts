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
  answers: ReadonlyMap<string, AnswerDial>,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const byPath = new Map([...answers].map(([name, answer]) => [encodeURIComponent(name), answer]));
  return (request, socket, head) => {
    const [, name] = PATH.exec(request.url ?? '') ?? [];
    if (name === undefined) return false;
    socket.on('error', () => {}); // `close` follows
    const answer = byPath.get(name);
    if (!answer) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    else server.handleUpgrade(request, socket, head, (opened) => answer(createWebSocketStream(opened)));
    return true;
  };
}
