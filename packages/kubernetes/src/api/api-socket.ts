import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { noAnswer, refusal } from './api-failure.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { parseStatus } from './parse-status.ts';

export interface SocketRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly protocol: string;
  /** The attempted action, for the words of an error. */
  readonly what: string;
  /** Ends the attempt. A socket that is open does not end with it. */
  readonly signal: AbortSignal;
}

const HANDSHAKE_MS = 15_000;

/** Opens a WebSocket to an API server, and pauses it. Throws `HostError` if the server refuses or does not answer. */
export async function openApiSocket(access: ClusterAccess, request: SocketRequest): Promise<WebSocket> {
  const { path, query, protocol, what, signal } = request;
  const url = new URL(access.place.server + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const options: RequestOptions = { headers: { 'user-agent': 'seaplane' } };
  await access.authorize(options);
  const { agent, ...others } = options;
  const socket = new WebSocket(url.href.replace(/^http/, 'ws'), [protocol], {
    ...(others as object),
    ...(access.proxied && agent ? { agent } : {}),
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {}); // handled where it is awaited
  socket.on('open', () => {
    socket.pause(); // nobody listens yet
    resolve();
  });
  socket.on('error', (cause) => reject(noAnswer(access.place, what, cause)));
  socket.on('unexpected-response', (outgoing, answer: IncomingMessage) => {
    const refused = text(answer).then((body) => refusal(access.place, what, answer.statusCode ?? 0, parseStatus(body)));
    refused
      .catch((cause) => noAnswer(access.place, what, cause))
      .then((error) => {
        outgoing.destroy();
        reject(error);
      });
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await promise;
    return socket;
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
