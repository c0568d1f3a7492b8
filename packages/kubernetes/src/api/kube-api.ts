import http, { type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { hearSocketErrors } from '@seaplane/baggageclaim';
import { type Clock, systemClock } from '@seaplane/orchestrator';
import type { WebSocket } from 'ws';
import { hasCode } from './api-error.ts';
import { noAnswer, refusal } from './api-failure.ts';
import { openApiSocket, type SocketRequest } from './api-socket.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { parseStatus } from './parse-status.ts';
import { RequestPacer, TooManyRequests } from './request-pacer.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Of a PATCH: a strategic merge patch. */
  readonly body?: object;
  /** The attempted action, for the words of an error: `create the pod x`. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/** An API server that sends nothing for this long is not there. */
const SILENCE_MS = 15_000;
/** Shorter than the idle limits of the usual load balancers. */
const KEEPALIVE_MS = 30_000;

/**
 * Requests to one API server, with the official client's logins but our own connections: the client would open a new
 * connection for every request and end a watch after 30 seconds of silence.
 *
 * The kubeconfig is read at the first request, again when its file has changed, and again when credentials are refused. So
 * a kubeconfig that is corrected or renewed on disk is used without a restart.
 */
export class KubeApi implements Disposable {
  readonly #load: () => Promise<ClusterAccess>;
  readonly #pacer: RequestPacer;
  readonly #agents = createAgents();
  readonly #watchAgents = createAgents();
  #rightsEpoch = 0;
  #access: Promise<ClusterAccess> | undefined;

  /** `onTrouble` gets told, in words, when the API server wants fewer requests. */
  constructor(load: () => Promise<ClusterAccess>, clock: Clock = systemClock, onTrouble = (_: Error) => {}) {
    this.#load = load;
    this.#pacer = new RequestPacer(clock, (waitMs, atOnce) => {
      const seconds = Math.round(waitMs / 100) / 10;
      onTrouble(
        new Error(
          `the API server has too many requests (429): web waits ${seconds} s, and then sends at most ${atOnce} at a time`,
        ),
      );
    });
  }

  /** Changes whenever our rights may have changed: a request was refused for them, or the credentials were read again. */
  get rightsEpoch(): number {
    return this.#rightsEpoch;
  }

  /** Returns the answer's body. Throws `HostError` for any answer but a success. */
  async request<T>(request: ApiRequest): Promise<T> {
    return this.#pacer.run(request.signal, async () => {
      const response = await this.#send(request, this.#agents);
      try {
        return JSON.parse(await text(response)) as T;
      } catch (error) {
        request.signal.throwIfAborted();
        throw noAnswer((await this.#cluster()).place, request.what, error);
      }
    });
  }

  /** Yields each line of the answer, parsed, as it arrives. Ends when the server closes the answer. */
  async *lines(request: ApiRequest): AsyncGenerator<unknown> {
    const response = await this.#send(request, this.#watchAgents).catch((error: unknown) => {
      throw error instanceof TooManyRequests ? error.final : error; // the reader of a watch waits by itself
    });
    response.socket.setTimeout(0); // a watch is silent for as long as nothing happens
    response.socket.setKeepAlive(true, KEEPALIVE_MS); // but not when the other end has gone
    try {
      let rest = '';
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line) yield JSON.parse(line);
      }
    } catch (error) {
      request.signal.throwIfAborted();
      throw noAnswer((await this.#cluster()).place, request.what, error);
    } finally {
      response.destroy();
    }
  }

  /** Opens a WebSocket, which is paused, and which the caller closes. Throws `HostError` if the server refuses it. */
  openSocket(request: SocketRequest): Promise<WebSocket> {
    return this.#withFreshCredentials(async () => openApiSocket(await this.#cluster(), request));
  }

  [Symbol.dispose](): void {
    for (const { http, https } of [this.#agents, this.#watchAgents]) {
      http.destroy();
      https.destroy();
    }
  }

  /** Returns a successful answer, of which only the head has been read. */
  #send(request: ApiRequest, agents: Agents): Promise<IncomingMessage> {
    return this.#withFreshCredentials(() => this.#tryOnce(request, agents));
  }

  async #withFreshCredentials<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (!hasCode(error, 'unauthorized')) throw error;
      this.#access = undefined;
      return action();
    }
  }

  async #tryOnce(request: ApiRequest, agents: Agents): Promise<IncomingMessage> {
    const { signal, what } = request;
    signal.throwIfAborted();
    const access = await this.#cluster();
    const response = await exchange(access, request, agents).catch((error: unknown) => {
      signal.throwIfAborted();
      throw hasCode(error, 'bad-config') ? error : noAnswer(access.place, what, error);
    });
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    const refused = refusal(access.place, what, statusCode, parseStatus(await text(response)));
    if (hasCode(refused, 'forbidden', 'unauthorized', 'location-gone')) this.#rightsEpoch++;
    throw statusCode === 429 ? new TooManyRequests(refused, response.headers['retry-after']) : refused;
  }

  async #cluster(): Promise<ClusterAccess> {
    const known = this.#access;
    if (known && (await (await known).changed()) && this.#access === known) {
      this.#rightsEpoch++;
      // The file may be half written: the last access that worked stays in use.
      this.#access = this.#load().catch(() => known);
    }
    this.#access ??= this.#load().catch((error: unknown) => {
      this.#access = undefined;
      throw error;
    });
    return this.#access;
  }
}

async function exchange(access: ClusterAccess, request: ApiRequest, agents: Agents): Promise<IncomingMessage> {
  const url = new URL(access.place.server + request.path);
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  const body = request.body && JSON.stringify(request.body);
  const options: RequestOptions = {
    method: request.method,
    headers: { accept: 'application/json', 'user-agent': 'seaplane' },
    signal: request.signal,
    timeout: SILENCE_MS,
  };
  await access.authorize(options);
  if (body) {
    const length = Buffer.byteLength(body); // Node leaves it out for DELETE
    const type = request.method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    Object.assign(options.headers as object, { 'content-type': type, 'content-length': length });
  }
  const plain = url.protocol === 'http:';
  if (!access.proxied) options.agent = plain ? agents.http : agents.https;

  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let answered = false;
  const outgoing = (plain ? http : https).request(url, options, (response) => {
    answered = true;
    resolve(response);
  });
  hearSocketErrors(outgoing);
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${SILENCE_MS / 1000} s`)));
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (answered) return; // the reader of the answer gets the error
    // The server had just closed a kept connection and has not seen the request.
    if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(exchange(access, request, agents));
    else reject(error);
  });
  outgoing.end(body);
  return promise;
}

interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

function createAgents(): Agents {
  const options = { keepAlive: true, keepAliveMsecs: KEEPALIVE_MS };
  return { http: new http.Agent(options), https: new https.Agent(options) };
}
