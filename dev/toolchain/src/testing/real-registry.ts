import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, isBuilt } from '../build-once.ts';
import { downloadGoModule, type GoModule, goBuild, requireGo } from '../go.ts';
import { stderrProgress } from '../progress.ts';
import { whyNoGo } from '../requirements.ts';

const DISTRIBUTION: GoModule = { path: 'github.com/distribution/distribution/v3', version: 'v3.0.0' };
const RECIPE = { name: 'go/registry', inputs: [DISTRIBUTION.version] };

/** Why no real registry can be started here; undefined when one can. */
export function whyNoRegistry(): string | undefined {
  return isBuilt(RECIPE) ? undefined : whyNoGo();
}

export interface RegistryUser {
  readonly username: string;
  readonly password: string;
}

/** Where a registry for everybody listens, by HTTPS: the files of its certificate and key. */
export interface OpenRegistry {
  readonly address: string;
  readonly certificate: string;
  readonly key: string;
}

/** A real registry process (distribution). It wants tokens, and there is the server that gives them to one user; or it is open to all. */
export class RealRegistry implements AsyncDisposable {
  readonly host: string;
  /** Each as `GET /token?...`, with the user that asked. */
  readonly tokenRequests: string[];
  readonly #process: ChildProcess;
  readonly #tokens: Server | undefined;
  readonly #dir: string;

  private constructor(
    host: string,
    tokenRequests: string[],
    process: ChildProcess,
    tokens: Server | undefined,
    dir: string,
  ) {
    this.host = host;
    this.tokenRequests = tokenRequests;
    this.#process = process;
    this.#tokens = tokens;
    this.#dir = dir;
  }

  static async start(user: RegistryUser): Promise<RealRegistry> {
    const program = await buildRegistry();
    const dir = await mkdtemp(join(tmpdir(), 'registry-'));
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'ES256' };
    await writeFile(join(dir, 'jwks.json'), JSON.stringify({ keys: [jwk] }));
    const requests: string[] = [];
    const tokens = await serveTokens(user, privateKey, requests);
    const http = { addr: '127.0.0.1:0' };
    const { child, host } = await serve(program, dir, {
      http,
      ...tokenAuth(dir, (tokens.address() as AddressInfo).port),
    });
    return new RealRegistry(host, requests, child, tokens, dir);
  }

  static async startOpen({ address, certificate, key }: OpenRegistry): Promise<RealRegistry> {
    const program = await buildRegistry();
    const dir = await mkdtemp(join(tmpdir(), 'registry-'));
    const { child, host } = await serve(program, dir, { http: { addr: `${address}:0`, tls: { certificate, key } } });
    return new RealRegistry(host, [], child, undefined, dir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'close');
    this.#tokens?.closeAllConnections();
    this.#tokens?.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

async function buildRegistry(): Promise<string> {
  const dir = await buildOnce({
    ...RECIPE,
    progress: stderrProgress('registry'),
    build: async (into) => {
      await requireGo();
      const source = await downloadGoModule(DISTRIBUTION);
      await goBuild({ dir: source, packages: ['./cmd/registry'], output: join(into, 'registry') });
    },
  });
  return join(dir, 'registry');
}

async function serve(program: string, dir: string, more: object): Promise<{ child: ChildProcess; host: string }> {
  const config = {
    version: 0.1,
    log: { level: 'info', formatter: 'json', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(dir, 'data') } },
    ...more,
  };
  const file = join(dir, 'config.json'); // JSON is YAML, too
  await writeFile(file, JSON.stringify(config));
  const child = spawn(program, ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { child, host: await listeningAddress(child) };
}

function tokenAuth(dir: string, tokenPort: number): object {
  return {
    auth: {
      token: {
        realm: `http://127.0.0.1:${tokenPort}/token`,
        service: 'test-registry',
        issuer: 'test-issuer',
        jwks: join(dir, 'jwks.json'),
      },
    },
  };
}

/** The registry says where it listens, since it was told to choose a port. */
function listeningAddress(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-10_000); // read to its end: a full pipe would stop the registry
    const found = /listening on ([\d.]+:\d+)/.exec(said)?.[1];
    if (found) resolve(found);
  });
  child.on('error', reject);
  child.on('close', () => reject(new Error(`the registry ended: ${said}`)));
  return promise;
}

async function serveTokens(user: RegistryUser, key: KeyObject, requests: string[]): Promise<Server> {
  const basic = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const isUser = request.headers.authorization === basic;
    requests.push(`${request.method} ${request.url} ${isUser ? user.username : 'anonymous'}`);
    if (request.headers.authorization !== undefined && !isUser) {
      response.writeHead(401).end('{"errors":[{"code":"UNAUTHORIZED","message":"wrong password"}]}');
      return;
    }
    const scopes = new URL(request.url ?? '', 'http://x').searchParams.getAll('scope');
    const access = isUser ? scopes.map(accessOf) : []; // strangers may do nothing
    response.end(JSON.stringify({ token: tokenFor(key, user.username, access), expires_in: 300 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function accessOf(scope: string): object {
  const [type, name, actions = ''] = scope.split(':');
  return { type, name, actions: actions.split(',') };
}

function tokenFor(key: KeyObject, subject: string, access: readonly object[]): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'test-issuer', sub: subject, aud: 'test-registry', exp: now + 300, nbf: now - 10, iat: now };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', typ: 'JWT', kid: 'test' })}.${part({ ...claims, jti: randomUUID(), access })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
