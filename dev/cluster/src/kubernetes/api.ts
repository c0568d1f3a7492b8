import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import type { Layout } from '../layout.ts';
import { pkiFile } from './pki.ts';

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** Just enough of a Kubernetes client to bring a cluster up: JSON over the administrator's certificate. */
export class AdminApi implements Disposable {
  readonly #agent: Agent;
  readonly #url: string;

  private constructor(url: string, agent: Agent) {
    this.#url = url;
    this.#agent = agent;
  }

  static async open(layout: Layout): Promise<AdminApi> {
    const [ca, cert, key] = await Promise.all(
      ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFile(pkiFile(layout, name))),
    );
    return new AdminApi(
      layout.apiUrl,
      new Agent({ ca, cert, key, keepAlive: true } as ConstructorParameters<typeof Agent>[0]),
    );
  }

  get<T>(path: string): Promise<T> {
    return this.#send('GET', path);
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#send('POST', path, body);
  }

  delete<T>(path: string, body?: object): Promise<T> {
    return this.#send('DELETE', path, body);
  }

  /** Creates an object, or finds it there already. */
  async ensure(path: string, body: object): Promise<void> {
    await this.post(path, body).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #send<T>(method: string, path: string, body?: object): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const text = body ? JSON.stringify(body) : '';
    // Node leaves the length out for DELETE, and the server then takes the body for the next request.
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = request(
      `${this.#url}${path}`,
      { method, agent: this.#agent, headers, timeout: 10_000 },
      (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          if (status >= 400) reject(new ApiError(status, `${method} ${path}: ${status} ${answer.slice(0, 500)}`));
          else resolve((response.headers['content-type']?.includes('json') ? JSON.parse(answer) : answer) as T);
        });
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within 10 s`)));
    sent.on('error', reject);
    sent.end(text);
    return promise;
  }
}
