import type { Readable } from 'node:stream';
import { OciError } from '../oci-error.ts';
import { type Challenge, parseChallenge, tokenUrl } from './challenge.ts';
import { closeTransport, type Exchange, exchange, openTransport, readSmall, type Transport } from './http-exchange.ts';
import { apiHostOf, isLoopback, type Repository } from './reference.ts';
import { ATTEMPTS, type Clock, isTemporary, pauseBefore } from './retry.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How one registry is talked to. */
export interface Access {
  readonly credentials?: Credentials;
  /** Any certificate will do, and so will plain HTTP where the registry does not speak HTTPS. */
  readonly insecure?: boolean;
  /** PEM certificates of authorities, beside the usual ones. */
  readonly ca?: readonly string[];
}

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Below `/v2/NAME`, or a whole URL, which uploads are given. */
  readonly path: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => Readable | Buffer;
  /** Statuses that are answers, not errors. */
  readonly ok: readonly number[];
  readonly signal: AbortSignal;
}

const ERROR_LIMIT = 64 * 1024;
const TOKEN_LIMIT = 1024 * 1024;

/**
 * One repository of one registry. Logs in when the registry asks for it, and again when a token has expired; tries again
 * what may pass by. Dispose of it to close its connections.
 */
export class RegistryClient implements Disposable {
  readonly repository: Repository;
  readonly #clock: Clock;
  readonly #access: Access;
  readonly #actions: 'pull' | 'pull,push';
  readonly #transport: Transport;
  #authorization: string | undefined;
  #scheme: Promise<string> | undefined;

  constructor(clock: Clock, repository: Repository, access: Access, actions: 'pull' | 'pull,push' = 'pull') {
    this.repository = repository;
    this.#clock = clock;
    this.#access = access;
    this.#actions = actions;
    this.#transport = openTransport({ ...(access.ca && { ca: access.ca }), verify: !access.insecure });
  }

  [Symbol.dispose](): void {
    closeTransport(this.#transport);
  }

  /** Throws `unknown-image` for a 404, `registry-refused` for 401 and 403, `registry-failed` for every other trouble. */
  async request(request: RegistryRequest): Promise<Exchange> {
    const url = await this.#urlOf(request);
    let hasLoggedIn = false;
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#send(url, request).catch((cause: Error) => cause);
      request.signal.throwIfAborted();
      if (answer instanceof Error) {
        if (attempt + 1 >= ATTEMPTS) throw unreachable(url, answer);
        await this.#clock.sleep(pauseBefore(attempt, undefined, this.#clock.now()) ?? 0, request.signal);
        continue;
      }
      if (request.ok.includes(answer.status)) return answer;
      if (answer.status === 401 && !hasLoggedIn) {
        answer.body.resume();
        hasLoggedIn = true;
        const challenge = parseChallenge(answer.headers['www-authenticate']);
        if (challenge && (await this.#logIn(challenge, request.signal))) continue;
      }
      const said = await wordsOf(answer);
      const retryAfter = answer.headers['retry-after'];
      const pause = pauseBefore(attempt, retryAfter, this.#clock.now());
      if (!isTemporary(answer.status) || attempt + 1 >= ATTEMPTS || pause === undefined) {
        throw this.#refusal(request, answer.status, said, pause === undefined ? retryAfter : undefined);
      }
      await this.#clock.sleep(pause, request.signal);
    }
  }

  #send(url: URL, { method, headers = {}, body, signal }: RegistryRequest): Promise<Exchange> {
    const isOwn = url.host === apiHostOf(this.repository); // an upload may be sent to another host
    const authorization = isOwn && this.#authorization !== undefined ? { authorization: this.#authorization } : {};
    return exchange(this.#transport, {
      method,
      url,
      headers: { 'user-agent': 'seaplane', ...headers, ...authorization },
      ...(body && { body }),
      signal,
    });
  }

  async #urlOf({ path, signal }: RegistryRequest): Promise<URL> {
    if (path instanceof URL) return path;
    return new URL(`${await this.#schemeOf(signal)}://${apiHostOf(this.repository)}/v2/${this.repository.name}${path}`);
  }

  /** HTTPS, unless plain HTTP is allowed for this registry and is what the registry speaks. */
  async #schemeOf(signal: AbortSignal): Promise<string> {
    if (!this.#access.insecure && !isLoopback(this.repository)) return 'https';
    this.#scheme ??= this.#ping(signal);
    try {
      return await this.#scheme;
    } catch (error) {
      this.#scheme = undefined; // the next request tries again
      throw error;
    }
  }

  async #ping(signal: AbortSignal): Promise<string> {
    const url = new URL(`https://${apiHostOf(this.repository)}/v2/`);
    const answer = await exchange(this.#transport, { method: 'GET', url, headers: {}, signal }).catch(() => undefined);
    signal.throwIfAborted();
    answer?.body.resume();
    return answer ? 'https' : 'http';
  }

  /** Whether there is now an authorization that may be better than before. */
  async #logIn(challenge: Challenge, signal: AbortSignal): Promise<boolean> {
    const { credentials } = this.#access;
    const basic = credentials && `Basic ${btoaUtf8(`${credentials.username}:${credentials.password}`)}`;
    if (challenge.scheme === 'basic') {
      if (!basic || this.#authorization === basic) return false;
      this.#authorization = basic;
      return true;
    }
    const url = tokenUrl(challenge, `repository:${this.repository.name}:${this.#actions}`);
    this.#authorization = `Bearer ${await this.#fetchToken(url, basic, signal)}`;
    return true;
  }

  async #fetchToken(url: URL, basic: string | undefined, signal: AbortSignal): Promise<string> {
    const headers = basic === undefined ? {} : { authorization: basic };
    for (let attempt = 0; ; attempt++) {
      const answer = await exchange(this.#transport, { method: 'GET', url, headers, signal }).catch((e: Error) => e);
      signal.throwIfAborted();
      const status = answer instanceof Error ? undefined : answer.status;
      if (!(answer instanceof Error) && status === 200) return tokenIn(await readSmall(answer, TOKEN_LIMIT), url);
      const words = answer instanceof Error ? answer.message : await wordsOf(answer);
      const retryAfter = answer instanceof Error ? undefined : answer.headers['retry-after'];
      const pause = pauseBefore(attempt, retryAfter, this.#clock.now());
      if ((status !== undefined && !isTemporary(status)) || attempt + 1 >= ATTEMPTS || pause === undefined) {
        const code = status === 401 || status === 403 ? 'registry-refused' : 'registry-failed';
        throw new OciError(code, `no token from ${url.host}: ${status ?? 'no answer'} ${words}`.trimEnd());
      }
      await this.#clock.sleep(pause, signal);
    }
  }

  #refusal({ method, path }: RegistryRequest, status: number, said: string, tooLong: string | undefined): OciError {
    const where = path instanceof URL ? path.pathname : `${this.repository.name}${path}`;
    const wait = tooLong === undefined ? '' : `; it wants a pause until ${tooLong}, which is too long to wait`;
    const message = `${this.repository.registry}: ${method} ${where}: ${status}${said && ` ${said}`}${wait}`;
    if (status === 404) return new OciError('unknown-image', message);
    return new OciError(status === 401 || status === 403 ? 'registry-refused' : 'registry-failed', message);
  }
}

function unreachable(url: URL, cause: Error): OciError {
  return new OciError('registry-failed', `${url.host} cannot be reached: ${cause.message}`, { cause });
}

/** The registry's own words for an error, in one line. */
async function wordsOf(answer: Exchange): Promise<string> {
  const text = await readSmall(answer, ERROR_LIMIT).then(String, () => '');
  try {
    const { errors } = JSON.parse(text) as { errors: { code?: string; message?: string }[] };
    return errors.map(({ code, message }) => [code, message].filter(Boolean).join(': ')).join('; ');
  } catch {
    return text.replace(/\s+/g, ' ').trim().slice(0, 300);
  }
}

function tokenIn(body: Buffer, url: URL): string {
  try {
    const { token, access_token } = JSON.parse(String(body)) as { token?: unknown; access_token?: unknown };
    const found = token ?? access_token;
    if (typeof found === 'string' && found !== '') return found;
  } catch {}
  throw new OciError('registry-failed', `${url.host} answered without a token`);
}

function btoaUtf8(text: string): string {
  return Buffer.from(text).toString('base64');
}
