import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { hearSocketErrors } from './hear-socket-errors.ts';
import { machineAuthorities } from './machine-authorities.ts';

/** How connections are made. The built-in `fetch` cannot be given certificates, so requests go through `node:https`. */
export interface Transport {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** A connection that is not made within this time is given up: some firewalls drop packets and never answer. */
  readonly connectMs: number;
}

export interface Exchange {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Read it to its end or destroy it. */
  readonly body: IncomingMessage;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Opened again for each attempt, since a stream can be sent only once. */
  readonly body?: () => Readable | Buffer;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const CONNECT_MS = 10_000;
/** A connection on which nothing arrives for this long is given up. */
const IDLE_MS = 60_000;

/** `ca` holds PEM certificates that count beside Node's and the machine's. `verify: false` accepts any certificate. */
export function openTransport(options: { ca?: readonly string[]; verify: boolean; connectMs?: number }): Transport {
  const more = [...machineAuthorities(), ...(options.ca ?? [])];
  const trust = more.length > 0 ? { ca: [...rootCertificates, ...more] } : {};
  return {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true, rejectUnauthorized: options.verify, ...trust }),
    connectMs: options.connectMs ?? CONNECT_MS,
  };
}

export function closeTransport({ http, https }: Transport): void {
  http.destroy();
  https.destroy();
}

/** One request. Follows redirects of GET and HEAD, and leaves out `authorization` when they lead to another host. */
export async function exchange(transport: Transport, request: ExchangeRequest): Promise<Exchange> {
  let { url, headers } = request;
  for (let redirects = 0; ; redirects++) {
    const answer = await send(transport, { ...request, url, headers });
    const to = locationOf(answer, request.method);
    if (!to) return answer;
    answer.body.resume();
    if (redirects === MAX_REDIRECTS) throw new Error(`${request.url.host} redirects without end`);
    if (to.host !== url.host || to.protocol !== url.protocol) headers = withoutAuthorization(headers);
    url = to;
  }
}

function locationOf({ status, headers, url }: Exchange, method: string): URL | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const to = new URL(headers.location, url);
  if (to.protocol === 'https:' || (to.protocol === 'http:' && url.protocol === 'http:')) return to;
  throw new Error(`${url.host} redirects to ${to.protocol}//${to.host}, which is not safe`);
}

function withoutAuthorization(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
}

function send(transport: Transport, { method, url, headers, body, signal }: ExchangeRequest): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
  const secure = url.protocol === 'https:';
  const agent = secure ? transport.https : transport.http;
  const outgoing = (secure ? httpsRequest : httpRequest)(url, { method, headers, agent, signal });
  hearSocketErrors(outgoing);
  limitConnecting(outgoing, transport.connectMs, secure ? 'secureConnect' : 'connect');
  outgoing.setTimeout(IDLE_MS, () => outgoing.destroy(new Error(`${url.host} went silent`)));
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    resolve({ url, status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
  });
  const content = body?.();
  if (content === undefined || Buffer.isBuffer(content)) outgoing.end(content);
  else pipeline(content, outgoing).catch(reject); // an answer that came first has settled the promise already
  return promise;
}

function limitConnecting(outgoing: ClientRequest, ms: number, connected: 'connect' | 'secureConnect'): void {
  const giveUp = () => outgoing.destroy(new Error(`${outgoing.host} did not answer within ${ms / 1000} s`));
  const timer = setTimeout(giveUp, ms);
  const end = () => clearTimeout(timer);
  outgoing.on('close', end);
  outgoing.on('socket', (socket) => (outgoing.reusedSocket ? end() : socket.once(connected, end)));
}

/** Collects a small body. Throws when it is larger than `limit`. */
export async function readSmall({ url, body }: Exchange, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new Error(`the answer of ${url.host} is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
