import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as forward } from 'node:https';
import type { AddressInfo } from 'node:net';

interface Kubeconfig {
  readonly clusters: {
    readonly cluster: Record<string, unknown> & { server: string; 'certificate-authority-data'?: string };
  }[];
}

/** Stands before a real API server and records what is asked of it. */
export class ApiRecorder implements AsyncDisposable {
  /** Every request, as `METHOD PATH?QUERY`, in the order in which they came. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(server: Server, api: URL, ca: string) {
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, ca: Buffer.from(ca, 'base64') });
    server.on('request', (request, response) => {
      this.requests.push(`${request.method} ${request.url}`);
      pass(new URL(request.url ?? '/', api), this.#agent, request, response);
    });
  }

  /** Changes the kubeconfig so that it leads here. */
  static async before(kubeconfig: string): Promise<ApiRecorder> {
    const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
    const cluster = config.clusters[0]?.cluster;
    if (!cluster) throw new Error(`${kubeconfig} has no cluster`);
    const { server: api, 'certificate-authority-data': ca = '' } = cluster;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const recorder = new ApiRecorder(server, new URL(api), ca);
    cluster.server = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    delete cluster['certificate-authority-data'];
    cluster['insecure-skip-tls-verify'] = true; // the way here is plain HTTP
    await writeFile(kubeconfig, JSON.stringify(config));
    return recorder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }
}

function pass(url: URL, agent: Agent, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = forward(url, { method, headers: { ...headers, host: url.host }, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders(); // a watch may be silent for long
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
