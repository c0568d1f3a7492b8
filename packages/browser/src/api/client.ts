import type { ApiRoutes, NotJson, RouteName } from '@seaplane/api/answers';

type Answer<R extends RouteName> = ApiRoutes[R]['answer'];
/** Routes that a method reaches and that answer with JSON or nothing. */
type RouteOf<M extends string> = {
  [R in RouteName]: R extends `${M} ${string}` ? (Answer<R> extends NotJson ? never : R) : never;
}[RouteName];

/** The parameters of a route's path: `team` and `job` in `GET /teams/:team/jobs/:job`. */
type ParametersOf<R extends string> = R extends `${string}/:${infer Name}/${infer Rest}`
  ? { readonly [N in Name]: string } & ParametersOf<`/${Rest}`>
  : R extends `${string}/:${infer Name}`
    ? { readonly [N in Name]: string }
    : unknown;

export interface Call<R extends string> {
  readonly at: ParametersOf<R>;
  /** Without its question mark. */
  readonly query?: string;
}

/** An answer, which the server can call unchanged. */
interface Known {
  readonly etag: string;
  readonly answer: unknown;
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
  /** The last answers, so that an unchanged one needs no body. */
  readonly #known = new Map<string, Known>();

  async get<R extends RouteOf<'GET'>>(route: R, { at, query }: Call<R>, signal?: AbortSignal): Promise<Answer<R>> {
    const path = pathOf(route, at, query);
    const known = this.#known.get(path);
    const headers = known ? { 'If-None-Match': known.etag } : {};
    const response = await this.#send(path, { headers, ...(signal && { signal }) });
    if (response.status === 304 && known) return known.answer as Answer<R>;
    const answer = (await response.json()) as Answer<R>;
    const etag = response.headers.get('ETag');
    if (etag) this.#remember(path, { etag, answer });
    return answer;
  }

  async put<R extends RouteOf<'PUT'>>(route: R, { at, query }: Call<R>): Promise<void> {
    await this.#send(pathOf(route, at, query), { method: 'PUT', headers: this.#changeHeaders() });
  }

  async post<R extends RouteOf<'POST'>>(route: R, { at, query }: Call<R>): Promise<Answer<R>> {
    const response = await this.#send(pathOf(route, at, query), { method: 'POST', headers: this.#changeHeaders() });
    return (await response.json()) as Answer<R>;
  }

  #remember(path: string, known: Known): void {
    this.#known.delete(path);
    this.#known.set(path, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #changeHeaders(): Record<string, string> {
    return this.csrfToken === undefined ? {} : { 'X-Csrf-Token': this.csrfToken };
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new RefusedError(0, 'The server does not answer.', { cause: error });
    }
    if (response.ok || response.status === 304) return response;
    if (response.status === 401) this.onSignedOut();
    throw new RefusedError(response.status, await reasonOf(response));
  }
}

function pathOf(route: string, at: unknown, query: string | undefined): string {
  const values = at as Readonly<Record<string, string>>;
  const path = route
    .slice(route.indexOf(' ') + 1)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  return query ? `${path}?${query}` : path;
}

/** A 404 has JSON, any other refusal has text. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status === 401) return 'Sign in to see this.';
  if (response.status === 403) return 'Your role does not allow this.';
  try {
    const { errors } = JSON.parse(text) as { errors?: readonly { detail?: string }[] };
    return errors?.[0]?.detail ?? text;
  } catch {
    return text || `The server answered with ${response.status}.`;
  }
}
