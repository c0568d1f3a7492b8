import { readEvents } from './event-frames.ts';

/** An event of a build, as much of it as is shown. */
export interface ShownEvent {
  readonly event: string;
  readonly data: { readonly payload?: string; readonly status?: string; readonly message?: string };
}

export interface ApiLogin {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** fly's own client, which may ask for a token with a password. */
const CLIENT = `Basic ${Buffer.from('fly:Zmx5').toString('base64')}`;
const SCOPE = 'openid profile email federated:id groups';

/** Uses the API of this web as fly does, in the team `main`. */
export class ApiClient {
  readonly #url: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  private constructor(url: string, token: string, signal: AbortSignal) {
    this.#url = url;
    this.#token = token;
    this.#signal = signal;
  }

  static async login({ url, user, password }: ApiLogin, signal: AbortSignal): Promise<ApiClient> {
    const form = new URLSearchParams({ grant_type: 'password', username: user, password, scope: SCOPE });
    const request = { method: 'POST', headers: { authorization: CLIENT }, body: form, signal };
    const answer = await succeeded('log in', await fetch(`${url}/sky/issuer/token`, request));
    return new ApiClient(url, ((await answer.json()) as { access_token: string }).access_token, signal);
  }

  /** Sets a pipeline that does not exist yet, and unpauses it. */
  async setPipeline(name: string, yaml: string): Promise<void> {
    const path = `/api/v1/teams/main/pipelines/${name}`;
    await this.#send('PUT', `${path}/config`, yaml, { 'content-type': 'application/x-yaml' });
    await this.#send('PUT', `${path}/unpause`);
  }

  async trigger(pipeline: string, job: string): Promise<number> {
    const answer = await this.#send('POST', `/api/v1/teams/main/pipelines/${pipeline}/jobs/${job}/builds`);
    return ((await answer.json()) as { id: number }).id;
  }

  /** The events of a build, as they come, until its end. */
  async *events(buildId: number): AsyncGenerator<ShownEvent> {
    const answer = await this.#send('GET', `/api/v1/builds/${buildId}/events`);
    yield* readEvents<ShownEvent>(answer);
  }

  async #send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: this.#signal,
    });
    return succeeded(`${method} ${path}`, answer);
  }
}

async function succeeded(what: string, answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(`${what}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
}
