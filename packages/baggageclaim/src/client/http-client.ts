import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { hearSocketErrors } from '@seaplane/oci';
import { BaggageclaimError, STATUS } from '../protocol/baggageclaim-error.ts';
import type { GrantScope } from '../protocol/grant.ts';
import {
  type ErrorAnswer,
  type ErrorCode,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  type ServerIdentity,
} from '../protocol/messages.ts';

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly scope: readonly GrantScope[];
  /** An object is sent as JSON. A call with a stream is made once, without retries. */
  readonly body?: object | ReadableStream<Uint8Array>;
}

export interface HttpClientOptions {
  readonly url: string;
  readonly server: ServerIdentity;
  readonly agent: Agent;
  readonly connect?: Connect | undefined;
  readonly token: (scope: readonly GrantScope[]) => string;
}

/** How long a call is repeated while no server answers. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
/** The longest that connecting may take; pods are near. */
const CONNECT_MS = 5_000;
/** The longest answer that is read into memory. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
/** Unused connections are closed after this. */
const IDLE_MS = 60_000;

/**
 * Opens the way to a server that web can't connect to. `host` is that of the server's URL. TLS goes over it, as over any other.
 * Throws while there is no way.
 */
export type Connect = (host: string) => Duplex;

/** Keeps connections for the next call to the same server. */
export function createAgent(keepAlive = true, connect?: Connect): Agent {
  const agent = new Agent({ keepAlive, scheduling: 'lifo', timeout: IDLE_MS });
  if (!connect) return agent;
  const createConnection = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    try {
      return createConnection({ ...options, socket: connect(options.host ?? '') } as typeof options, callback);
    } catch (error) {
      queueMicrotask(() => callback?.(error as Error, undefined as never));
      return undefined;
    }
  };
  return agent;
}

/** The options of a TLS connection that is closed, before anything is sent, unless this server answers. */
export function tlsOptions({ name, authority }: ServerIdentity): { servername: string; ca: string } {
  return { servername: name, ca: authority };
}

/** Sends a call, repeatedly until a server answers. Throws the error of the answer. */
export async function send(options: HttpClientOptions, call: Call, signal: AbortSignal): Promise<IncomingMessage> {
  return retryWhileUnreachable(signal, !(call.body instanceof ReadableStream), () => sendOnce(options, call, signal));
}

/** Sends a call and reads its whole answer as JSON. */
export async function sendForJson<T>(options: HttpClientOptions, call: Call, signal: AbortSignal): Promise<T> {
  return retryWhileUnreachable(signal, true, async () => {
    const bytes = await readAll(await sendOnce(options, call, signal));
    return (bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined) as T;
  });
}

/** Repeats an action that throws `unreachable`, for `PATIENCE_MS` at most. */
async function retryWhileUnreachable<T>(signal: AbortSignal, again: boolean, action: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await action();
    } catch (error) {
      signal.throwIfAborted();
      if (!again || !isUnreachable(error) || performance.now() + pause > end) throw error;
    }
    await sleep(pause, signal);
  }
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof BaggageclaimError && error.code === 'unreachable';
}

async function sendOnce(options: HttpClientOptions, call: Call, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const json = call.body && !(call.body instanceof ReadableStream) ? Buffer.from(JSON.stringify(call.body)) : undefined;
  const outgoing = request(options.url + call.path, {
    method: call.method,
    // A server may close a kept connection meanwhile, and a stream cannot be sent again.
    agent: call.body instanceof ReadableStream ? createAgent(false, options.connect) : options.agent,
    ...tlsOptions(options.server),
    signal,
    headers: {
      Authorization: `Bearer ${options.token(call.scope)}`,
      [PROTOCOL_HEADER]: String(PROTOCOL_VERSION),
      ...(json && { 'Content-Type': 'application/json', 'Content-Length': json.length }),
      // A server that may close the connection does so with its answer. If it refuses a stream that is still sent, the
      // client then sees a reset connection instead of the answer. This client closes it.
      ...(call.body instanceof ReadableStream && { 'Content-Type': 'application/x-tar', Connection: 'keep-alive' }),
    },
  });
  hearSocketErrors(outgoing);
  outgoing.on('response', resolve);
  outgoing.on('error', (cause) => reject(unreachable(options.url, cause, outgoing.socket)));
  const connecting = setTimeout(() => outgoing.destroy(new Error(`no connection in ${CONNECT_MS} ms`)), CONNECT_MS);
  outgoing.on('socket', (socket) => {
    if (!socket.connecting) clearTimeout(connecting);
    else socket.once('secureConnect', () => clearTimeout(connecting));
  });
  if (call.body instanceof ReadableStream) {
    // A server may answer before it has read everything. Then its answer counts, and the rest is not sent.
    outgoing.on('response', (answer) => {
      answer.on('close', () => outgoing.writableFinished || outgoing.destroy());
    });
    pipeline(Readable.fromWeb(call.body as never), outgoing).catch((cause: Error) =>
      reject(unreachable(options.url, cause)),
    );
  } else outgoing.end(json);
  const answer = await promise.finally(() => clearTimeout(connecting));
  return requireSuccess(options.url, answer);
}

/** Returns an answer with a status below 300. Throws the error of any other, and `other-protocol`. */
async function requireSuccess(url: string, answer: IncomingMessage): Promise<IncomingMessage> {
  const spoken = answer.headers[PROTOCOL_HEADER.toLowerCase()];
  if (spoken !== String(PROTOCOL_VERSION)) {
    answer.destroy();
    throw new BaggageclaimError(
      'other-protocol',
      `${url} speaks protocol ${spoken ?? 'unknown'} and this web speaks ${PROTOCOL_VERSION}: ` +
        `the target's baggageclaim image must be of web's own version`,
    );
  }
  if ((answer.statusCode ?? 500) < 300) return answer;
  throw await errorOf(answer, url);
}

export async function errorOf(answer: IncomingMessage, url: string): Promise<BaggageclaimError> {
  const text = (await readAll(answer)).toString('utf8');
  try {
    const { error } = JSON.parse(text) as ErrorAnswer;
    return new BaggageclaimError(error.code, error.message);
  } catch {
    const [code] = Object.entries(STATUS).find(([, status]) => status === answer.statusCode) ?? ['internal'];
    return new BaggageclaimError(code as ErrorCode, `${url} answered with HTTP status ${answer.statusCode}`);
  }
}

/** Reads the whole answer. Throws `unreachable` when it is cut short, and `internal` when it is too long. */
export async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const bytes = await readUpTo(answer, LONGEST_ANSWER);
  if (!bytes) throw new BaggageclaimError('internal', 'the answer is longer than 64 MiB');
  return bytes;
}

/** Reads the whole answer. Undefined: the answer is longer than `maxBytes`, and its rest was not read. */
export async function readUpTo(answer: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return undefined; // this closes the connection
      chunks.push(chunk);
    }
  } catch (cause) {
    throw unreachable('the answer', cause as Error);
  }
  return Buffer.concat(chunks);
}

/** The error of a connection that failed. If another server than the expected one answered, it is `untrusted`. */
export function unreachable(what: string, cause: Error, socket?: Socket | null): BaggageclaimError {
  if ((socket as TLSSocket | undefined)?.authorizationError) {
    const message =
      `${what} does not prove that it is the expected pod (${cause.message}), so nothing was sent to it: another pod may ` +
      'answer at its address, or it was made by another version of Seaplane or with another signing key';
    return new BaggageclaimError('untrusted', message, { cause });
  }
  return new BaggageclaimError('unreachable', `${what}: ${cause.message || (cause as NodeJS.ErrnoException).code}`, {
    cause,
  });
}
