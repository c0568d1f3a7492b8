import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { createConnection } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import type { HijackInput, HijackOutput, HijackRequest, HijackStream, HijackTaken } from '../protocol/hijack.ts';
import { PROTOCOL_HEADER, PROTOCOL_VERSION, ROUTES } from '../protocol/messages.ts';
import { type Connect, errorOf, type HttpClientOptions, tlsOptions, unreachable } from './http-client.ts';

/** When more messages than this wait for their reader, the process has to wait. */
const HIGH_WATER = 64;
/** So many characters of input may be on their way to the process. */
const INPUT_WINDOW = 256 * 1024;
const GOODBYE_MS = 1_000;
/** A sidecar answers at once; a lost node never does. */
const HANDSHAKE_MS = 10_000;

/** Starts a process in a sandbox and connects to it. Rejects when the sidecar refuses. */
export async function openHijack(
  options: HttpClientOptions,
  hijack: HijackRequest,
  signal: AbortSignal,
): Promise<HijackStream> {
  let outgoing: ClientRequest | undefined;
  const way = options.connect;
  const socket = new WebSocket(options.url.replace(/^http/, 'ws') + ROUTES.hijack, {
    ...tlsOptions(options.server),
    ...(way && { createConnection: connectOver(way) }),
    handshakeTimeout: HANDSHAKE_MS,
    finishRequest(request) {
      outgoing = request;
      request.end();
    },
    headers: {
      Authorization: `Bearer ${options.token(['hijack'])}`,
      [PROTOCOL_HEADER]: String(PROTOCOL_VERSION),
    },
  });
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  socket.on('unexpected-response', (_request, answer: IncomingMessage) => {
    errorOf(answer, options.url).then(refused.reject, refused.reject);
  });
  socket.on('error', (cause) => refused.reject(unreachable(options.url, cause, outgoing?.socket)));
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  const input = new InputWindow();
  socket.once('close', () => input.close());
  const messages = receive(socket, input);
  try {
    await Promise.race([once(socket, 'open', { signal }), refused.promise]);
  } catch (error) {
    socket.terminate();
    signal.throwIfAborted();
    throw error;
  }
  socket.send(JSON.stringify(hijack));
  return {
    messages,
    async send(message: HijackInput) {
      socket.send(JSON.stringify(message));
      if ('stdin' in message) await input.send(message.stdin.length);
    },
    async [Symbol.asyncDispose]() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.close();
      const patience = setTimeout(() => socket.terminate(), GOODBYE_MS);
      await closed;
      clearTimeout(patience);
    },
  };
}

/** The type of the option is that of another function; it is called with these options alone. */
function connectOver(way: Connect): typeof createConnection {
  return ((options: ConnectionOptions) =>
    connectTls({ ...options, socket: way(options.host ?? '') })) as typeof createConnection;
}

/** Counts the input that the process has not got yet. */
class InputWindow {
  #onTheWay = 0;
  #closed = false;
  #room = Promise.withResolvers<void>();

  async send(characters: number): Promise<void> {
    this.#onTheWay += characters;
    while (this.#onTheWay > INPUT_WINDOW && !this.#closed) await this.#room.promise;
  }

  take(characters: number): void {
    this.#onTheWay -= characters;
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }
}

/** A malformed message must not crash web. */
function parseMessage(text: string): HijackOutput | HijackTaken | undefined {
  try {
    return JSON.parse(text) as HijackOutput | HijackTaken;
  } catch {
    return undefined;
  }
}

/** The messages of a WebSocket, from now on until it closes. */
function receive(socket: WebSocket, input: InputWindow): AsyncGenerator<HijackOutput> {
  const waiting: HijackOutput[] = [];
  let closed = false;
  let wake = () => {};
  socket.on('message', (data) => {
    const message = parseMessage(data.toString());
    if (!message) return socket.terminate();
    if ('taken' in message) return input.take(message.taken);
    waiting.push(message);
    if (waiting.length > HIGH_WATER) socket.pause();
    wake();
  });
  socket.on('close', () => {
    closed = true;
    wake();
  });
  async function* messages(): AsyncGenerator<HijackOutput> {
    for (;;) {
      const message = waiting.shift();
      if (message) yield message;
      else if (closed) return;
      else {
        socket.resume();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  return messages();
}
