import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { WebError } from '../boot/web-error.ts';

/** How long requests under way may take when web stops. */
const GRACE_MS = 3_000;

const OPTIONS: ServerOptions = {
  // Drop clients that stop answering; otherwise web streams to them, and keeps their sandbox, for ever.
  keepAlive: true,
  keepAliveInitialDelay: 15_000,
  // Longer than proxies keep a connection, so that no proxy sends a request down one that web is closing.
  keepAliveTimeout: 75_000,
  headersTimeout: 60_000,
  // Instance vars are in the query. Node's default is 16 KiB.
  maxHeaderSize: 256 * 1024,
  // An upload may take any time. By default Node cuts a request off after five minutes.
  requestTimeout: 0,
};

/** A listening HTTP server. */
export class HttpServer implements AsyncDisposable {
  readonly #server: Server;
  /** Every open connection, with the number of requests under way on it. */
  readonly #connections = new Map<Socket, number>();
  /** The connections on which an event stream is sent: it does not end by itself. */
  readonly #streaming = new WeakSet<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#connections.set(socket, 0);
      socket.on('close', () => this.#connections.delete(socket));
    });
    server.on('request', (request, response) => {
      const { socket } = request;
      this.#count(socket, 1);
      response.on('close', () => this.#count(socket, -1));
    });
  }

  get port(): number {
    const address = this.#server.address();
    return address && typeof address !== 'string' ? address.port : 0;
  }

  /** Listens on exactly this address, or throws a {@link WebError}. */
  static async listen(
    app: Pick<Hono, 'fetch'>,
    { host, port }: { readonly host: string; readonly port: number },
  ): Promise<HttpServer> {
    const server = createServer(OPTIONS);
    const listening = new HttpServer(server);
    const listener = getRequestListener(async (request, env) => {
      const answer = await app.fetch(request, env);
      const isEvents = hasType(answer, 'text/event-stream');
      if (isEvents) listening.#streaming.add((env as HttpBindings).outgoing.socket as Socket);
      // Otherwise the listener buffers the start of the stream, and takes its failure for its end.
      if (isEvents || hasType(answer, 'application/octet-stream')) sendInChunks(answer);
      return answer;
    });
    server.on('request', (request, response) => void listener(request, response));
    server.listen({ host, port });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw explainListenError(error, host, port);
    }
    return listening;
  }

  /** Passes upgrade requests, such as those of WebSockets, to `handle`. Without a handler they are refused. */
  onUpgrade(handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>): void {
    this.#server.on('upgrade', (request, socket, head) => void handle(request, socket, head));
  }

  /**
   * Takes no more requests, gives those under way a little time, and cuts off the rest. Event streams are cut off at once
   * and without an end, so that clients know that there is more and ask another web.
   */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    // Node keeps a connection that has sent nothing yet open, and browsers open such connections in advance.
    for (const [socket, requests] of this.#connections) {
      if (requests === 0 || this.#streaming.has(socket)) socket.destroy();
    }
    const timer = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
    await closed;
    clearTimeout(timer);
  }

  #count(socket: Socket, change: 1 | -1): void {
    const requests = (this.#connections.get(socket) ?? 0) + change;
    if (this.#connections.has(socket)) this.#connections.set(socket, requests);
    if (requests > 0) return;
    this.#streaming.delete(socket);
    if (!this.#server.listening) socket.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function hasType({ headers }: Response, type: string): boolean {
  return headers.get('Content-Type')?.startsWith(type) === true;
}

function sendInChunks({ headers }: Response): void {
  if (!headers.has('Content-Length')) headers.set('Transfer-Encoding', 'chunked');
}

/** The URL that opens this server in a browser on this machine. */
export function browserUrl(host: string, port: number): string {
  const everywhere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const choose = 'Choose another with --port PORT or SEAPLANE_PORT.';
  switch (code) {
    case 'EADDRINUSE':
      return new WebError('port-in-use', `Port ${port} on ${host} is in use by another program. ${choose}`, {
        cause: error,
      });
    case 'EACCES':
      return new WebError('address-unusable', `This user may not serve on port ${port}. ${choose}`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new WebError(
        'address-unusable',
        `"${host}" is not an address of this machine. Choose another with --host HOST or SEAPLANE_HOST; 0.0.0.0 means all of them.`,
        { cause: error },
      );
    default:
      return error;
  }
}
