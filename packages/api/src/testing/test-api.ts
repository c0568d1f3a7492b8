import { parseYaml } from '@seaplane/config';
import { ensureMainTeam, Notifications, type Role, saveTeam, type Team } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import { type Api, createApi } from '../api.ts';
import type { ApiContext } from '../context.ts';

/** `admin` administers the installation. Users named after a role have that role in team `team`. */
export type TestUser = 'admin' | 'stranger' | Role;

const USERS: readonly TestUser[] = ['admin', 'stranger', 'viewer', 'pipeline-operator', 'member', 'owner'];

/**
 * The API on a database of its own, with three teams: `main`, owned by `admin`; `team`, in which users have the roles they
 * are named after; and `other`, owned by `stranger`.
 */
export interface TestApi extends AsyncDisposable {
  readonly app: Api;
  readonly context: ApiContext;
  readonly pool: TestDatabase['pool'];
  readonly team: Team;
  readonly other: Team;
  /** The errors that the API has reported. */
  readonly failures: readonly unknown[];
  /** Sends a request, as nobody or as a user. Objects are sent as JSON. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  get(path: string, as?: TestUser): Promise<Response>;
  put(path: string, as?: TestUser, body?: unknown): Promise<Response>;
  post(path: string, as?: TestUser, body?: unknown): Promise<Response>;
  token(user: TestUser): Promise<string>;
}

export interface RequestOptions {
  readonly as?: TestUser;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function createTestApi(overrides: Partial<ApiContext> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const { pool } = database;
  const notifications = await Notifications.open(pool);
  const failures: unknown[] = [];
  const refuse = () => Promise.reject(new Error('not expected in this test'));
  const context: ApiContext = {
    pool,
    notifications,
    clock: { now: () => new Date(), elapsedMs: () => performance.now() },
    externalUrl: 'https://ci.example.com',
    clusterName: 'test',
    localUsers: USERS.map((name) => ({ name, password: name })),
    sandboxes: { hijack: refuse },
    artifacts: { upload: refuse, download: refuse },
    checks: { start: refuse },
    variables: { interpolate: (_, text) => Promise.resolve(text), findProblems: refuse },
    identityKeys: async () => [{ kid: '1', kty: 'EC' }],
    logLevel: { get: () => 'info', set: () => {} },
    yaml: { parse: async (text) => parseYaml(text) },
    onError: (error) => failures.push(error),
    ...overrides,
  };
  const app = createApi(context);
  await ensureMainTeam(pool, { owner: { users: ['local:admin'] } });
  const roles = ['viewer', 'pipeline-operator', 'member', 'owner'] as const;
  const auth = Object.fromEntries(roles.map((role) => [role, { users: [`local:${role}`] }]));
  const { team } = await saveTeam(pool, 'team', auth);
  const { team: other } = await saveTeam(pool, 'other', { owner: { users: ['local:stranger'] } });

  const tokens = new Map<TestUser, Promise<string>>();
  const token = (user: TestUser) => {
    const known = tokens.get(user) ?? logIn(app, user);
    tokens.set(user, known);
    return known;
  };
  const request = async (method: string, path: string, { as, body, headers = {} }: RequestOptions = {}) => {
    const sent = new Headers(headers);
    if (as !== undefined) sent.set('Authorization', `Bearer ${await token(as)}`);
    if (body !== undefined && !sent.has('Content-Type')) sent.set('Content-Type', 'application/json');
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return app.request(path, { method, headers: sent, ...(text !== undefined && { body: text }) });
  };
  const options = (as?: TestUser, body?: unknown) => ({ ...(as && { as }), ...(body !== undefined && { body }) });
  return {
    app,
    context,
    pool,
    team,
    other,
    failures,
    request,
    get: (path, as) => request('GET', path, options(as)),
    put: (path, as, body) => request('PUT', path, options(as, body)),
    post: (path, as, body) => request('POST', path, options(as, body)),
    token,
    async [Symbol.asyncDispose]() {
      await notifications.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function logIn(app: Api, user: string): Promise<string> {
  const response = await app.request('/sky/issuer/token', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('fly:Zmx5')}` },
    body: new URLSearchParams({ grant_type: 'password', username: user, password: user, scope: 'openid' }).toString(),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
