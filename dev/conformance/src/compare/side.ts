import { mkdir } from 'node:fs/promises';
import { type RunResult, run } from '@seaplane/dev-toolchain/run.ts';

/** One of the two servers that are compared, with a fly that is logged in to it. */
export interface Side {
  readonly name: string;
  /** Runs fly to its end, whatever its exit code. */
  fly(...args: string[]): Promise<RunResult>;
  /** The body of an answer with the status 200; throws otherwise. */
  get(path: string): Promise<string>;
  /** As `get`, or undefined if the answer is 404. */
  find(path: string): Promise<string | undefined>;
  /** The event stream of a finished build up to its last event. Concourse keeps the stream open after that. */
  events(build: number): Promise<string>;
}

export interface SideOptions {
  readonly name: string;
  readonly url: string;
  /** The program fly; its targets are kept in `home`. */
  readonly fly: string;
  readonly home: string;
  readonly signal: AbortSignal;
}

/** fly's own public client of every Concourse. */
const FLY_CLIENT = Buffer.from('fly:Zmx5').toString('base64');
const USER = 'test';

/** Logs in to a server as the owner of the team main. */
export async function openSide({ name, url, fly, home, signal }: SideOptions): Promise<Side> {
  await mkdir(home, { recursive: true });
  const env = { ...process.env, HOME: home, no_proxy: new URL(url).hostname };
  const runFly = (...args: string[]) => run(fly, ['-t', 'side', ...args], { env, signal, ok: 'any', cwd: home });
  await run(fly, ['-t', 'side', 'login', '-c', url, '-u', USER, '-p', USER], { env, signal });
  const token = await fetchToken(url, signal);
  const ask = (path: string) =>
    fetch(`${url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` }, signal });
  const request = async (path: string) => {
    const answer = await ask(path);
    if (answer.status !== 200) throw new Error(`${name} answers ${answer.status} to GET /api/v1${path}`);
    return answer;
  };
  return {
    name,
    fly: runFly,
    get: async (path) => (await request(path)).text(),
    find: async (path) => {
      const answer = await ask(path);
      return answer.status === 404 ? undefined : answer.text();
    },
    events: async (build) => readToEnd(await request(`/builds/${build}/events`)),
  };
}

async function readToEnd(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (/^event: end$/m.test(text)) break;
  }
  return text;
}

async function fetchToken(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${url}/sky/issuer/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${FLY_CLIENT}` },
    body: new URLSearchParams({
      grant_type: 'password',
      username: USER,
      password: USER,
      scope: 'openid profile email federated:id groups',
    }),
    signal,
  });
  const { access_token } = (await answer.json()) as { access_token?: string };
  if (!access_token) throw new Error(`${url} gives no token: ${answer.status}`);
  return access_token;
}
