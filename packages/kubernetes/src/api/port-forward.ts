import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { collectionPath, type Namespace } from './objects.ts';

/** Each message begins with the number of its channel. One WebSocket is one connection to the port. */
const PROTOCOL = 'v4.channel.k8s.io';
const CHANNEL = { data: 0, error: 1 } as const;
/** The first message of each channel has the number of the port. */
const PORT_BYTES = 2;

/** Connects to a port of a pod, on the pod's loopback device, through the API server. */
export async function openPortForward(
  namespace: Namespace,
  pod: string,
  port: number,
  signal: AbortSignal,
): Promise<Duplex> {
  const path = `${collectionPath(namespace, 'pods')}/${pod}/portforward`;
  const what = `open a port-forward to the pod ${pod}`;
  const query = { ports: String(port) };
  return streamOf(await namespace.api.openSocket({ path, query, protocol: PROTOCOL, what, signal }));
}

function streamOf(socket: WebSocket): Duplex {
  const started = new Set<number>();
  const send = (chunks: readonly Buffer[], done: (error?: Error | null) => void) =>
    socket.send(Buffer.concat([Buffer.from([CHANNEL.data]), ...chunks]), done);
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _, done) => send([chunk], done),
    writev: (chunks, done) =>
      send(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    final(done) {
      socket.close();
      done();
    },
    destroy(error, done) {
      socket.terminate();
      done(error);
    },
  });
  socket.on('message', (message: Buffer) => {
    const channel = message[0] ?? CHANNEL.error;
    const bytes = message.subarray(started.has(channel) ? 1 : 1 + PORT_BYTES);
    started.add(channel);
    if (bytes.length === 0) return;
    if (channel !== CHANNEL.data) stream.destroy(new Error(bytes.toString('utf8').trim()));
    else if (!stream.push(bytes)) socket.pause();
  });
  socket.on('close', () => stream.destroy());
  return stream;
}
