import { readFile, stat } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { BaggageclaimError, otherAttempt, STATUS } from './baggageclaim-error.ts';
import { requireRead, requireScope, type Verifier } from './grants.ts';
import { type OutputSource, outputFrames } from './output.ts';
import {
  type ErrorAnswer,
  type Grant,
  type Health,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  ROUTES,
  type RunRequest,
  type SignalRequest,
} from './protocol.ts';
import { type ReadablePath, readablePath } from './readable-path.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Sandbox } from './sandbox.ts';
import { streamOf } from './stream-of.ts';
import { pack } from './tar.ts';

export interface AppContext {
  readonly handle: string;
  readonly version: string;
  readonly verify: Verifier;
  readonly now: () => number;
}

export type App = Hono<{ Variables: { grant: Grant } }>;

export const TAR = 'application/x-tar';
const FRAMES = 'application/vnd.seaplane.frames';
const LARGEST_FILE = 64 * 1024 * 1024;

/** What every server has: its health, and nothing else without a token. */
export function createApp({ handle, version, verify, now }: AppContext, supervisor: () => boolean): App {
  const app: App = new Hono();
  app.use('*', async (c, next) => {
    await next();
    c.header(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
  });
  app.get(ROUTES.health, (c) =>
    c.json({ protocol: PROTOCOL_VERSION, version, handle, supervisor: supervisor() } satisfies Health),
  );
  app.use('*', async (c, next) => {
    const spoken = c.req.header(PROTOCOL_HEADER) ?? String(PROTOCOL_VERSION);
    if (spoken !== String(PROTOCOL_VERSION)) throw otherProtocol(spoken);
    c.set('grant', await verify(bearer(c.req.header('Authorization')), now()));
    await next();
  });
  app.notFound((c) => answer(c, new BaggageclaimError('not-found', `no ${c.req.method} ${c.req.path} here`)));
  app.onError((error, c) => answer(c, error));
  return app;
}

export function bearer(header: string | undefined): string | undefined {
  return /^Bearer (\S+)$/.exec(header ?? '')?.[1];
}

/** The routes of a sandbox's sidecar. */
export function addSandboxRoutes(app: App, runtime: Runtime, sandbox: Sandbox): void {
  const { processes, runs, directories, volumes } = sandbox;
  const source: OutputSource = {
    processes,
    isThere: (id, attempt) => runs.isThere(id, attempt),
    dir: directories.output,
  };

  app.post(ROUTES.run, async (c) => {
    requireScope(c.get('grant'), 'run');
    await runs.run(await json<RunRequest>(c));
    return c.body(null, 204);
  });

  app.delete(ROUTES.run, async (c) => {
    requireScope(c.get('grant'), 'run');
    await runs.forget(required(c, 'id'));
    return c.body(null, 204);
  });

  app.get(ROUTES.output, (c) => {
    requireScope(c.get('grant'), 'run');
    const [id, attempt] = [required(c, 'id'), required(c, 'attempt')];
    const known = processes.attempt(id);
    if (known !== undefined && known !== attempt) throw otherAttempt(id, known, attempt);
    if (!source.isThere(id, attempt)) throw new BaggageclaimError('not-found', `no process ${id} was started here`);
    const request = { id, attempt, stdout: offset(c, 'stdout'), stderr: offset(c, 'stderr') };
    const frames = streamOf((signal) => outputFrames(source, request, signal));
    return c.body(frames, 200, { 'Content-Type': FRAMES });
  });

  app.post(ROUTES.signal, async (c) => {
    requireScope(c.get('grant'), 'run');
    await runs.signal(await json<SignalRequest>(c));
    return c.body(null, 204);
  });

  app.get(ROUTES.tree, async (c) => {
    const asked = required(c, 'path');
    requireRead(c.get('grant'), asked);
    return sendTree(c, runtime, await readablePath(asked, volumes.rootOf(asked)));
  });

  app.get(ROUTES.file, async (c) => {
    const asked = required(c, 'path');
    requireRead(c.get('grant'), asked);
    return sendFile(c, await readablePath(asked, volumes.rootOf(asked)));
  });
}

export function sendTree(c: Context, runtime: Runtime, { path, kind }: ReadablePath): Response {
  if (kind !== 'directory') throw new BaggageclaimError('bad-request', `${path} is no directory`);
  return c.body(pack(runtime, path), 200, { 'Content-Type': TAR });
}

export async function sendFile(c: Context, { path, kind }: ReadablePath) {
  if (kind !== 'file') throw new BaggageclaimError('bad-request', `${path} is no regular file`);
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new BaggageclaimError('bad-request', `${path} is larger than 64 MiB`);
  return c.body(await readFile(path), 200, { 'Content-Type': 'application/octet-stream' });
}

export async function json<T>(c: Context): Promise<T> {
  try {
    return await c.req.json<T>();
  } catch (cause) {
    throw new BaggageclaimError('bad-request', 'the body is not JSON', { cause });
  }
}

export function required(c: Context, name: string): string {
  const value = c.req.query(name);
  if (!value) throw new BaggageclaimError('bad-request', `the query has no ${name}`);
  return value;
}

function otherProtocol(spoken: string): BaggageclaimError {
  return new BaggageclaimError('bad-request', `this sidecar speaks protocol ${PROTOCOL_VERSION}, not ${spoken}`);
}

function offset(c: Context, name: string): number {
  const value = Number(c.req.query(name) ?? 0);
  if (!Number.isSafeInteger(value) || value < 0) throw new BaggageclaimError('bad-request', `${name} is no offset`);
  return value;
}

/** Errors of ours say what they are; what nobody foresaw goes to the log as well. */
export function errorAnswer(error: Error): { status: (typeof STATUS)[keyof typeof STATUS]; body: ErrorAnswer } {
  if (error instanceof BaggageclaimError && error.code in STATUS) {
    const code = error.code as keyof typeof STATUS;
    return { status: STATUS[code], body: { error: { code, message: error.message } } };
  }
  console.error(error);
  return { status: 500, body: { error: { code: 'internal', message: error.message } } };
}

function answer(c: Context, error: Error): Response {
  const { status, body } = errorAnswer(error);
  return c.json(body, status);
}
