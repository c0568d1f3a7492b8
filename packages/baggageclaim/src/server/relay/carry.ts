import type { ServerHttp2Stream } from 'node:http2';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Connects to an address or a socket, answers 200, and carries bytes both ways until both have ended. Else answers 503. */
export function carry(
  stream: ServerHttp2Stream,
  to: { readonly path: string } | { readonly host: string; readonly port: number },
): void {
  const socket = connect({ ...to, allowHalfOpen: true });
  socket.once('connect', () => {
    if (stream.destroyed) return void socket.destroy();
    stream.respond({ ':status': 200 });
    const both = [pipeline(stream, socket, { end: true }), pipeline(socket, stream, { end: true })];
    Promise.all(both).catch(() => {
      socket.destroy();
      stream.destroy();
    });
  });
  socket.on('error', () => {
    if (!stream.destroyed && !stream.headersSent) stream.respond({ ':status': 503 }, { endStream: true });
  });
  stream.on('close', () => socket.destroy());
}
