import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Serves the repositories of a directory over HTTP, by git's own CGI program, to one user. */
export class GitHttpServer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(root: string, user: { username: string; password: string }): Promise<GitHttpServer> {
    const program = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
    const basic = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
    const server = createServer((request, response) => {
      if (request.headers.authorization === basic) serve(program, root, user.username, request, response);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GitHttpServer(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function serve(program: string, root: string, user: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://x');
  const env = {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REMOTE_USER: user,
    REQUEST_METHOD: request.method,
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
  };
  const child = spawn(program, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const { Status: status = '200', ...headers } = Object.fromEntries(lines) as Record<string, string>;
    response.writeHead(Number.parseInt(status, 10), headers);
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}
