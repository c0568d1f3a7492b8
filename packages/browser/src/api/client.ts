import type { ApiRoutes, RouteName } from '@seaplane/api/answers';
import { Reach } from '../live/reach.ts';
import { type Answer, type Call, pathOf, type RouteOf } from './paths.ts';

/** A call that changes something. */
interface Change<R extends RouteName> extends Call<R> {
  readonly body?: ApiRoutes[R]['body'];
}

/** A part of a long list, newest first. The neighbours are queries such as `to=7&limit=100`. */
export interface ListPage<T> {
  readonly items: T;
  readonly older?: string;
  readonly newer?: string;
}

/** An answer, which the server can call unchanged. */
interface Known {
  readonly etag: string | null;
  readonly answer: unknown;
  /** The header `Link`. */
  readonly links: string;
}

const MOST_KNOWN = 100;

/** A request that the server refused, or that did not reach it. The message is for the user. */
export class RefusedError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedError';
    this.status = status;
  }
}

/** The API, as the routes' types describe it. */
export class Client {
  /** Repeated in every change. */
  csrfToken: string | undefined;
  /** Called when the server no longer knows the session. */
  onSignedOut: () => void = () => {};
  /** Hears of each answer, and of each request without one. */
  readonly reach = new Reach();
  /** The last answers, so that an unchanged one needs no body. */
  readonly #known = new Map<string, Known>();
  /** Answers to requests that were sent ahead. */
  readonly #asked = new Map<string, Promise<Known>>();

  /** Sends a request before somebody asks for its answer. The first who asks gets it. */
  ask(path: string): void {
    const answer = this.#fetchAnswer(path, undefined);
    answer.catch(() => {}); // whoever asks for the answer hears of it
    this.#asked.set(path, answer);
  }

  /** Whether this request was sent ahead, and nobody has asked for its answer. */
  hasAsked<R extends RouteOf<'GET'>>(route: R, call: Call<R>): boolean {
    return this.#asked.has(pathOf(route, call));
  }

  /** Opens a stream of events. Rejects if there is none. */
  async open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { ok, status, body } = await fetch(path, { signal });
    if (ok && body) return body;
    throw new RefusedError(status, `The server answered with ${status}.`);
  }

  async get<R extends RouteOf<'GET'>>(route: R, { at, query }: Call<R>, signal?: AbortSignal): Promise<Answer<R>> {
    const { answer } = await this.#read(pathOf(route, { at, query }), signal);
    return answer as Answer<R>;
  }

  async getPage<R extends RouteOf<'GET'>>(
    route: R,
    { at, query }: Call<R>,
    signal?: AbortSignal,
  ): Promise<ListPage<Answer<R>>> {
    const { answer, links } = await this.#read(pathOf(route, { at, query }), signal);
    return { items: answer as Answer<R>, ...neighboursIn(links) };
  }

  async put<R extends RouteOf<'PUT'>>(route: R, { at, query, body }: Change<R>): Promise<void> {
    await this.#change('PUT', pathOf(route, { at, query }), body);
  }

  /** The text of an answer, which JSON.parse could round, and one of its headers. */
  async getText<R extends RouteOf<'GET'>>(
    route: R,
    { at, query }: Call<R>,
    header: string,
    signal?: AbortSignal,
  ): Promise<{ readonly text: string; readonly header: string }> {
    const response = await this.#send(pathOf(route, { at, query }), signal ? { signal } : {});
    return { text: await response.text(), header: response.headers.get(header) ?? '' };
  }

  /** Sends a body that is not JSON. */
  async putText<R extends RouteOf<'PUT'>>(
    route: R,
    { at, query }: Call<R>,
    text: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer<R>> {
    const init = { method: 'PUT', headers: { ...headers, ...this.#csrfHeader() }, body: text };
    return (await (await this.#send(pathOf(route, { at, query }), init)).json()) as Answer<R>;
  }

  async delete<R extends RouteOf<'DELETE'>>(route: R, { at, query, body }: Change<R>): Promise<Answer<R>> {
    const text = await (await this.#change('DELETE', pathOf(route, { at, query }), body)).text();
    return (text === '' ? undefined : JSON.parse(text)) as Answer<R>;
  }

  async post<R extends RouteOf<'POST'>>(route: R, { at, query, body }: Change<R>): Promise<Answer<R>> {
    const response = await this.#change('POST', pathOf(route, { at, query }), body);
    return (await response.json()) as Answer<R>;
  }

  #read(path: string, signal: AbortSignal | undefined): Promise<Known> {
    const asked = this.#asked.get(path);
    this.#asked.delete(path);
    return asked ?? this.#fetchAnswer(path, signal);
  }

  async #fetchAnswer(path: string, signal: AbortSignal | undefined): Promise<Known> {
    const known = this.#known.get(path);
    const headers = known?.etag ? { 'If-None-Match': known.etag } : {};
    const response = await this.#send(path, { headers, ...(signal && { signal }) });
    if (response.status === 304 && known) return known;
    const read: Known = {
      etag: response.headers.get('ETag'),
      links: response.headers.get('Link') ?? '',
      answer: await response.json(),
    };
    if (read.etag) this.#remember(path, read);
    return read;
  }

  async #change(method: string, path: string, body: unknown): Promise<Response> {
    const headers = this.#csrfHeader();
    if (body === undefined) return this.#send(path, { method, headers });
    headers['Content-Type'] = 'application/json';
    return this.#send(path, { method, headers, body: JSON.stringify(body) });
  }

  #csrfHeader(): Record<string, string> {
    return this.csrfToken === undefined ? {} : { 'X-Csrf-Token': this.csrfToken };
  }

  #remember(path: string, known: Known): void {
    this.#known.delete(path);
    this.#known.set(path, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.reach.hear(0);
      throw new RefusedError(0, 'The server does not answer.', { cause: error });
    }
    this.reach.hear(response.status);
    if (response.ok || response.status === 304) return response;
    if (response.status === 401) this.onSignedOut();
    throw new RefusedError(response.status, await reasonOf(response));
  }
}

/** A 404 has JSON, and a refused configuration has a list of errors. Any other refusal has text. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status === 401) return 'Sign in to see this.';
  if (response.status === 403) return 'Your role does not allow this.';
  try {
    const { errors } = JSON.parse(text) as { errors?: readonly (string | { readonly detail?: string })[] };
    const reasons = errors?.flatMap((error) => (typeof error === 'string' ? error : (error.detail ?? [])));
    return reasons?.join('\n') || text;
  } catch {
    return text || `The server answered with ${response.status}.`;
  }
}

/** Reads the ranges of the pages before and after out of a header `Link`: `<ADDRESS?to=7&limit=100>; rel="next"`. */
export function neighboursIn(links: string): { readonly older?: string; readonly newer?: string } {
  const ranges = new Map(
    [...links.matchAll(/<[^>?]*\?([^>]*)>; rel="(\w+)"/g)].map(([, query, rel]) => [rel, rangeIn(query)]),
  );
  const [older, newer] = [ranges.get('next'), ranges.get('previous')];
  return { ...(older !== undefined && { older }), ...(newer !== undefined && { newer }) };
}

function rangeIn(query = ''): string {
  const kept = [...new URLSearchParams(query)].filter(([name]) => ['from', 'to', 'limit'].includes(name));
  return new URLSearchParams(kept).toString();
}
