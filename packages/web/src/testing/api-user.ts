import { readEvents } from '../welcome/event-frames.ts';

export interface ShownEvent {
  readonly event: string;
  readonly data: {
    readonly payload?: string;
    readonly status?: string;
    readonly origin?: { readonly id: string };
    readonly message?: string;
    readonly exit_status?: number;
  };
}

/** Uses the API as fly does: logs in, sets pipelines, triggers jobs, reads events. */
export class ApiUser {
  readonly #url: string;
  #token = '';

  private constructor(url: string) {
    this.#url = url;
  }

  static async login(url: string): Promise<ApiUser> {
    const user = new ApiUser(url);
    const form = {
      grant_type: 'password',
      username: 'test',
      password: 'test',
      scope: 'openid profile email federated:id groups',
    };
    const authorization = `Basic ${Buffer.from('fly:Zmx5').toString('base64')}`;
    const answer = await fetch(`${url}/sky/issuer/token`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(form),
    });
    if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
    user.#token = ((await answer.json()) as { access_token: string }).access_token;
    return user;
  }

  /** Sets a pipeline, or sets an existing one again. `query` has its instance vars. */
  async setPipeline(name: string, yaml: string, query = ''): Promise<void> {
    const pipeline = `/api/v1/teams/main/pipelines/${name}`;
    const vars = query && `?${query}`;
    const version = await this.#configVersion(`${pipeline}/config${vars}`);
    const headers = { 'content-type': 'application/x-yaml', 'x-concourse-config-version': version };
    await this.#send('PUT', `${pipeline}/config${vars}`, yaml, headers);
    await this.#send('PUT', `${pipeline}/unpause${vars}`);
  }

  async trigger(pipeline: string, job: string): Promise<number> {
    const answer = await this.#send('POST', `/api/v1/teams/main/pipelines/${pipeline}/jobs/${job}/builds`);
    return ((await answer.json()) as { id: number }).id;
  }

  /** Starts a check, and returns its build. */
  async checkResource(pipeline: string, resource: string): Promise<number> {
    const path = `/api/v1/teams/main/pipelines/${pipeline}/resources/${resource}/check`;
    const answer = await this.#send('POST', path, '{}', { 'content-type': 'application/json' });
    return ((await answer.json()) as { id: number }).id;
  }

  async abort(buildId: number): Promise<void> {
    await this.#send('PUT', `/api/v1/builds/${buildId}/abort`);
  }

  /** Lets everybody see a pipeline. */
  async exposePipeline(name: string): Promise<void> {
    await this.#send('PUT', `/api/v1/teams/main/pipelines/${name}/expose`);
  }

  async archivePipeline(name: string): Promise<void> {
    await this.#send('PUT', `/api/v1/teams/main/pipelines/${name}/archive`);
  }

  async destroyPipeline(name: string): Promise<void> {
    await this.#send('DELETE', `/api/v1/teams/main/pipelines/${name}`);
  }

  /** The builds of a job, the newest first. */
  async builds(pipeline: string, job: string): Promise<{ id: number; status: string }[]> {
    return (await (
      await this.#send('GET', `/api/v1/teams/main/pipelines/${pipeline}/jobs/${job}/builds`)
    ).json()) as never;
  }

  /** The public plan of a build, as fly reads it. */
  /** The resources of a pipeline, each with its latest check. */
  async resources(pipeline: string): Promise<{ name: string; build?: { status: string } }[]> {
    return (await (await this.#send('GET', `/api/v1/teams/main/pipelines/${pipeline}/resources`)).json()) as never;
  }

  async plan(buildId: number): Promise<unknown> {
    return ((await (await this.#send('GET', `/api/v1/builds/${buildId}/plan`)).json()) as { plan: unknown }).plan;
  }

  async components(): Promise<{ name: string; last_ran: string; paused: boolean }[]> {
    return (await (await this.#send('GET', '/api/v1/components')).json()) as never;
  }

  async pauseComponent(name: string): Promise<void> {
    await this.#send('PUT', `/api/v1/components/${name}/pause`);
  }

  /** The state of each worker that is listed. */
  async workers(): Promise<ReadonlyMap<string, string>> {
    const workers = (await (await this.#send('GET', '/api/v1/workers')).json()) as { name: string; state: string }[];
    return new Map(workers.map(({ name, state }) => [name, state]));
  }

  async sendAway(worker: string, how: 'land' | 'retire'): Promise<void> {
    await this.#send('PUT', `/api/v1/workers/${worker}/${how}`);
  }

  async status(buildId: number): Promise<string> {
    return ((await (await this.#send('GET', `/api/v1/builds/${buildId}`)).json()) as { status: string }).status;
  }

  /** Every event of a build, as they come; ends with the build. */
  async *events(buildId: number, signal: AbortSignal): AsyncGenerator<ShownEvent> {
    const answer = await this.#send('GET', `/api/v1/builds/${buildId}/events`, undefined, {}, signal);
    yield* readEvents<ShownEvent>(answer);
  }

  /** Reads the build's log until `enough` returns true or the build has ended. */
  async log(buildId: number, signal: AbortSignal, enough: (log: string) => boolean = () => false): Promise<string> {
    let log = '';
    for await (const { event, data } of this.events(buildId, signal)) {
      if (event === 'log') log += data.payload;
      if (enough(log)) break;
    }
    return log;
  }

  /** 0: there is no such pipeline. */
  async #configVersion(path: string): Promise<string> {
    const answer = await fetch(`${this.#url}${path}`, { headers: { authorization: `Bearer ${this.#token}` } });
    await answer.body?.cancel();
    return answer.headers.get('x-concourse-config-version') ?? '0';
  }

  async #send(method: string, path: string, body?: string, headers = {}, signal?: AbortSignal): Promise<Response> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
