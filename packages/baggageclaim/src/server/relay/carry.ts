import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
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
    const both = [pipeline(stream, socket, { end: true }), send(socket, stream)];
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

async function send(from: Socket, to: ServerHttp2Stream): Promise<void> {
  const closed = new AbortController();
  to.once('close', () => closed.abort());
  flush(to);
  for await (const chunk of from) {
    const hasRoom = to.write(chunk);
    flush(to);
    if (!hasRoom) await once(to, 'drain', { signal: closed.signal });
  }
  to.end();
  flush(to);
}

/**
 * While the other side does not read one stream, Bun keeps what is written to all others until a frame comes in (1.4.4). The
 * answer to a ping is such a frame.
 */
function flush({ session, closed }: ServerHttp2Stream): void {
  if (process.versions['bun'] && session && !session.destroyed && !closed) session.ping(() => {});
}
