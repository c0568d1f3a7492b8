import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from '@seaplane/dev-toolchain/cache-dir.ts';
import { CONCOURSE_VERSION } from '@seaplane/dev-toolchain/concourse.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import type { RunningHost } from './host.ts';
import type { OutsideNetwork } from './outside-network.ts';

const ENTRY = join(import.meta.dirname, '../../../../packages/web/src/main.ts');
const POLL_MS = 50;
const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 20_000;

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Where web runs, if not as this process does. */
interface Place {
  readonly user?: User;
  readonly network?: OutsideNetwork;
}

type Environment = Readonly<Record<string, string>>;

/** The users of the suite, and its settings. */
export const SUITE_SETTINGS: Environment = {
  SEAPLANE_LOCAL_USERS: 'test:test,guest:guest',
  SEAPLANE_MAIN_TEAM_USERS: 'test',
  SEAPLANE_CLUSTER_NAME: 'dev', // a browser test looks for it
  SEAPLANE_REDACT_SECRETS: 'false', // as the suite's own version has it: two specs look for such values
};

/**
 * Starts our own web with an empty data directory and waits until it is healthy. `settings` says where steps run. Web
 * answers as the version of the suite, unless `settings` says otherwise. It runs in `place`, by default as this process does.
 * Stopping ends the steps of this machine, too.
 */
export async function startOwnWeb(
  host: string,
  settings: Environment | ((dataDir: string) => Promise<Environment>),
  progress: Progress,
  place: Place = {},
): Promise<RunningHost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'seaplane-web-'));
  await chmod(dataDir, 0o711); // when we are root, PostgreSQL runs as another user and has to get in
  const env = typeof settings === 'function' ? await settings(dataDir) : settings;
  const { user, network } = place;
  const url = `http://${network?.address ?? 'localhost'}:${await freePort()}`;
  const logFile = join(cacheDir(), 'conformance', `${host}-web.log`);
  await mkdir(dirname(logFile), { recursive: true });
  if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, dataDir]);
  const web = spawnWeb(webCommand(url, dataDir, place), { ...env, HOME: dataDir }, logFile);
  const ended = once(web, 'exit');
  const stop = async () => {
    await endProcess(web, ended);
    const [program, ...args] = inPlace(place, [process.execPath, ENTRY, '--reset', '--data-dir', dataDir]);
    await run(program, args, { env: cleanEnvironment(process.env) });
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await untilHealthy(url, ended, logFile);
    progress(`web is ready at ${url}`);
    const missing = await whatIsMissing(url);
    return { url, env: { RUNTIME: 'containerd' }, ...(missing && { cannotRun: missing }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Command = [string, ...string[]];

function webCommand(url: string, dataDir: string, place: Place): Command {
  const { hostname, port } = new URL(url);
  const web: Command = [process.execPath, ENTRY, '--port', port, '--data-dir', dataDir];
  if (place.network) web.push('--host', hostname, '--external-url', url);
  // On Linux the kernel ends it when we are killed; elsewhere a crash of ours would leave it running.
  return inPlace(place, process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'TERM', '--', ...web] : web);
}

function inPlace({ user, network }: Place, command: Command): Command {
  const asUser: Command = user
    ? ['setpriv', '--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--', ...command]
    : command;
  return [...(network?.inside ?? []), ...asUser] as Command;
}

function spawnWeb([program, ...args]: Command, env: Environment, logFile: string): ChildProcess {
  const log = openSync(logFile, 'w');
  return spawn(program, args, {
    detached: true, // a Ctrl-C in the terminal is for us to act on
    stdio: ['ignore', log, log],
    env: { ...cleanEnvironment(process.env), SEAPLANE_CONCOURSE_VERSION: CONCOURSE_VERSION, ...env },
  });
}

/** Web is configured by the host alone, so that no run uses a database or a cluster of the person who started it. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(SEAPLANE_|DATABASE_URL$|KUBECONFIG$)/.test(name)),
  );
}

/** Without this answer `fly` cannot even log in, and each spec would only wait for that. */
export async function whatIsMissing(url: string): Promise<string | undefined> {
  const { status } = await fetch(`${url}/api/v1/info`);
  return status === 200 ? undefined : `web answers ${status} to GET /api/v1/info: the API is not there yet`;
}

async function untilHealthy(url: string, ended: Promise<unknown>, logFile: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const died = ended.then(() => 'died');
  while (!(await isHealthy(url))) {
    const waited = await Promise.race([died, sleep(POLL_MS, 'waited')]);
    if (waited === 'died' || performance.now() > deadline) {
      const how = waited === 'died' ? 'ended at once' : `is not healthy after ${START_TIMEOUT_MS / 1000} s`;
      const said = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-15).join('\n');
      throw new Error(`web ${how}; it says:\n${said}`);
    }
  }
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function endProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const how = await Promise.race([ended, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })]);
  if (how !== 'late') return;
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
