import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { recordHijack } from '@seaplane/db';
import { WebSocketServer } from 'ws';
import type { Api } from '../api.ts';
import type { ApiContext } from '../context.ts';
import { runHijack } from './session.ts';

const PATH = /^\/api\/v1\/teams\/[^/]+\/containers\/([^/]+)\/hijack$/;
const TOUCH_EVERY_MS = 30_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const GOING_AWAY = 1001;

/** Opens the WebSockets of `fly intercept`. Disposing closes them. */
export interface HijackUpgrade extends AsyncDisposable {
  /** For the `upgrade` event of an HTTP server. Answers every request, whatever its path. Never rejects. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

type Context = Pick<ApiContext, 'pool' | 'sandboxes' | 'interceptIdleMs' | 'onError'>;

/**
 * Sends each request to the API first, whose guards decide. If the API answers 426, only the WebSocket is missing, and it
 * is opened. Any other answer is a refusal and goes to the client.
 */
export function hijackUpgrade(api: Pick<Api, 'request'>, context: Context): HijackUpgrade {
  const { pool, sandboxes, interceptIdleMs: idleMs = 0, onError } = context;
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const handle = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {}); // the client has left, and the socket closes by itself
    try {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const container = PATH.exec(url.pathname)?.[1];
      if (container === undefined) return await refuse(socket, new Response('no WebSocket here', { status: 404 }));
      if (isFromElsewhere(request)) return await refuse(socket, new Response('forbidden', { status: 403 }));
      const response = await api.request(url.pathname, { headers: credentials(request) });
      if (response.status !== 426) return await refuse(socket, response);
      const name = decodeURIComponent(container);
      server.handleUpgrade(request, socket, head, (opened) => {
        const report = (error: unknown) => onError(error, url.pathname);
        const touch = (handle: string) => recordHijack(pool, handle);
        const dependencies = { sandboxes, touch, touchEveryMs: TOUCH_EVERY_MS, idleMs, onError: report };
        void runHijack(dependencies, opened, name).catch(report);
      });
    } catch (error) {
      onError(error, request.url ?? '');
      socket.destroy();
    }
  };
  return {
    handle,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.close(GOING_AWAY, 'the server is stopping');
      server.close();
    },
  };
}

function credentials({ headers: { authorization, cookie } }: IncomingMessage): Record<string, string> {
  return { ...(authorization && { Authorization: authorization }), ...(cookie && { Cookie: cookie }) };
}

/** A browser sends its cookies with every WebSocket, whichever page opens it. Only pages of this server may open one. */
function isFromElsewhere({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('Content-Type') ?? 'text/plain';
  const { status } = response;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
