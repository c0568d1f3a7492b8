import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import type { KubeObject, Pod, StatusBody } from '../api/wire.ts';

export type Stored = KubeObject & { metadata: NonNullable<KubeObject['metadata']> };

interface Watcher {
  readonly path: string;
  readonly selector: string;
  readonly response: ServerResponse;
}

/** As much of a Kubernetes API server as a client sees: objects by path, lists, watches, over real HTTP. */
export class FakeApiServer implements AsyncDisposable {
  /** Every request, as `METHOD PATH?QUERY`. */
  readonly requests: string[] = [];
  /** Answers instead of the server, when it returns something. */
  intercept: (
    request: IncomingMessage,
    body: string,
  ) => { code: number; status?: StatusBody; headers?: Record<string, string> } | undefined = () => undefined;
  /** Fills in what a real server would when an object is created. */
  admit: (path: string, object: Stored) => void = () => {};
  /** The token that requests must bear. */
  token = 'good';
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #history: { version: number; path: string; type: string; object: Stored }[] = [];
  readonly #watchers = new Set<Watcher>();
  /** Gets every WebSocket to the subresource portforward. Absent: they are refused. */
  onPortForward: ((socket: WebSocket) => void) | undefined;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #server: Server;
  #version = 100;
  #oldest = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeApiServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Creates or replaces. */
  put(path: string, object: KubeObject): void {
    const name = object.metadata?.name ?? '';
    const known = this.#collection(path).get(name);
    this.#version++;
    const stored = structuredClone(object) as Stored;
    stored.metadata.resourceVersion = String(this.#version);
    stored.metadata.uid ??= known?.metadata.uid ?? `uid-${this.#version}`;
    this.#collection(path).set(name, stored);
    this.#publish(path, known ? 'MODIFIED' : 'ADDED', stored);
  }

  get(path: string, name: string): Stored | undefined {
    return this.#collection(path).get(name);
  }

  names(path: string): string[] {
    return [...this.#collection(path).keys()];
  }

  remove(path: string, name: string): void {
    const object = this.#collection(path).get(name);
    if (!object) return;
    this.#collection(path).delete(name);
    this.#version++;
    this.#publish(path, 'DELETED', {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    });
  }

  get watching(): number {
    return this.#watchers.size;
  }

  bookmark(): void {
    for (const watcher of this.#watchers) {
      send(watcher, 'BOOKMARK', { metadata: { resourceVersion: String(this.#version) } });
    }
  }

  /** Ends every watch as the server does after a while. */
  endWatches(): void {
    for (const { response } of this.#watchers) response.end();
  }

  /** Cuts every watch, in the middle of a line. */
  cutWatches(): void {
    for (const { response } of this.#watchers) {
      response.write('{"type":"MODI');
      response.socket?.resetAndDestroy();
    }
  }

  sendError(status: StatusBody): void {
    for (const watcher of this.#watchers) send(watcher, 'ERROR', status);
  }

  /** Cuts every port-forward. */
  cutPortForwards(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  /** Forgets what has happened so far: a watch from before now is answered with 410. */
  forgetHistory(): void {
    this.#oldest = this.#version;
    this.#history.length = 0;
  }

  /** Moves the version on by changing something that no test watches. */
  advance(): void {
    this.#version++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutPortForwards();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.requests.push(`${request.method} ${request.url}`);
    const refused = request.headers.authorization !== `Bearer ${this.token}` ? 401 : this.onPortForward ? 0 : 403;
    if (refused) return void socket.end(`HTTP/1.1 ${refused} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.onPortForward?.(opened));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    const body = await text(request);
    const answer = this.intercept(request, body) ?? this.#handle(request, body, response);
    if (!answer) return;
    const headers = 'headers' in answer ? answer.headers : {};
    response.writeHead(answer.code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(answer.status ?? { kind: 'Status', code: answer.code }));
  }

  #handle(request: IncomingMessage, body: string, response: ServerResponse) {
    if (request.headers.authorization !== `Bearer ${this.token}`) return failure(401, 'Unauthorized');
    const url = new URL(request.url ?? '', this.url);
    const { pathname: path, searchParams: query } = url;
    if (path.endsWith('/selfsubjectreviews')) return failure(404, 'the server could not find the requested resource');
    if (request.method === 'POST') return this.#create(path, JSON.parse(body) as Stored, query.has('dryRun'));
    if (request.method === 'GET' && query.has('watch')) return this.#watch(path, query, response);
    if (request.method === 'GET' && /\/namespaces\/[^/]+\/[^/]+$/.test(path)) return this.#list(path, query);
    if (request.method === 'PATCH') return this.#resize(path, JSON.parse(body) as Pod);
    const at = path.lastIndexOf('/');
    const [collection, name] = [path.slice(0, at), path.slice(at + 1)];
    const object = this.get(collection, name);
    if (!object) return failure(404, `${name} not found`);
    if (request.method === 'DELETE') this.remove(collection, name);
    return { code: 200, status: object as StatusBody };
  }

  #create(path: string, object: Stored, dry: boolean) {
    if (this.get(path, object.metadata.name ?? '')) return failure(409, 'already exists', 'AlreadyExists');
    this.admit(path, object);
    if (!dry) this.put(path, object);
    return { code: 201, status: (this.get(path, object.metadata.name ?? '') ?? object) as StatusBody };
  }

  /** Changes the requests of a pod's containers, as its node does a moment later. */
  #resize(path: string, patch: Pod) {
    const [, collection = '', name = ''] = /^(.*)\/([^/]+)\/resize$/.exec(path) ?? [];
    const pod = structuredClone(this.get(collection, name)) as Pod | undefined;
    if (!pod) return failure(404, `pods "${name}" not found`);
    if (patch.metadata?.uid !== pod.metadata?.uid) return failure(409, 'the UID does not match', 'Conflict');
    for (const { name: container, resources } of patch.spec?.containers ?? []) {
      const found = pod.spec?.containers.find((each) => each.name === container)?.resources;
      if (found) found.requests = { ...found.requests, ...resources?.requests };
    }
    this.put(collection, pod);
    return { code: 200, status: pod as StatusBody };
  }

  #list(path: string, query: URLSearchParams) {
    const items = [...this.#collection(path).values()].filter((object) => selects(query.get('labelSelector'), object));
    const from = Number(query.get('continue') ?? 0);
    const to = from + Number(query.get('limit') ?? items.length);
    const more = to < items.length ? { continue: String(to) } : {};
    const metadata = { resourceVersion: String(this.#version), ...more };
    return { code: 200, status: { metadata, items: items.slice(from, to) } as StatusBody };
  }

  #watch(path: string, query: URLSearchParams, response: ServerResponse) {
    const from = Number(query.get('resourceVersion'));
    if (from < this.#oldest) return failure(410, 'too old resource version', 'Expired');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watcher = { path, selector: query.get('labelSelector') ?? '', response };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    for (const event of this.#history) {
      if (event.version > from && event.path === path && selects(watcher.selector, event.object)) {
        send(watcher, event.type, event.object);
      }
    }
    return undefined;
  }

  #publish(path: string, type: string, object: Stored): void {
    this.#history.push({ version: this.#version, path, type, object });
    for (const watcher of this.#watchers) {
      if (watcher.path === path && selects(watcher.selector, object)) send(watcher, type, object);
    }
  }

  #collection(path: string): Map<string, Stored> {
    const collection = this.#objects.get(path) ?? new Map<string, Stored>();
    this.#objects.set(path, collection);
    return collection;
  }
}

function send({ response }: Watcher, type: string, object: object): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

function selects(selector: string | null, { metadata }: Stored): boolean {
  return (selector ?? '')
    .split(',')
    .filter(Boolean)
    .every((term) => {
      const [key = '', value] = term.split(/!?=/);
      return (metadata.labels?.[key] === value) !== term.includes('!=');
    });
}

function failure(code: number, message: string, reason = ''): { code: number; status: StatusBody } {
  return { code, status: { kind: 'Status', code, message, reason } };
}
