import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAYOUT } from './layout.ts';
import type { Namespaces } from './namespaces.ts';
import { query } from './postgres.ts';
import type { ConcoursePrograms } from './programs.ts';

export const CONCOURSE_URL = `http://${LAYOUT.ip}:${LAYOUT.webPort}`;
const POLL_MS = 100;
const START_TIMEOUT_MS = 120_000;
const USERS = ['test:test', 'guest:guest'];
const { state } = LAYOUT;
const KEYS = join(state, 'keys');

export async function makeKeys(namespaces: Namespaces, { concourse }: ConcoursePrograms): Promise<void> {
  const make = (type: string, name: string) =>
    namespaces.run([concourse, 'generate-key', '-t', type, '-f', join(KEYS, name)]);
  await make('rsa', 'session');
  await make('ssh', 'tsa');
  await make('ssh', 'worker');
}

/** Starts web with the settings of upstream's development set-up and waits until it answers. */
export async function startWeb(
  namespaces: Namespaces,
  { concourse }: ConcoursePrograms,
  flyArtifacts: string,
): Promise<void> {
  const flags = {
    'bind-port': LAYOUT.webPort,
    'external-url': CONCOURSE_URL,
    'cluster-name': 'dev',
    'postgres-host': '127.0.0.1',
    'postgres-port': LAYOUT.postgresPort,
    'postgres-user': 'concourse',
    'postgres-password': 'concourse',
    'postgres-database': 'concourse',
    'main-team-local-user': 'test',
    'session-signing-key': join(KEYS, 'session'),
    'tsa-host-key': join(KEYS, 'tsa'),
    'tsa-authorized-keys': join(KEYS, 'worker.pub'),
    'tsa-bind-port': LAYOUT.tsaPort,
    'cli-artifacts-dir': flyArtifacts,
  };
  const env = {
    ...process.env,
    CONCOURSE_ENABLE_PIPELINE_INSTANCES: 'true',
    CONCOURSE_ENABLE_ACROSS_STEP: 'true',
    CONCOURSE_ENABLE_CACHE_STREAMED_VOLUMES: 'true',
    CONCOURSE_ENABLE_RESOURCE_CAUSALITY: 'true',
  };
  const users = USERS.map((user) => `--add-local-user=${user}`);
  const web = namespaces.spawn([concourse, 'web', ...toArguments(flags), ...users], env, logOf('web'));
  await untilReady('web', web, async () => (await fetch(`${CONCOURSE_URL}/api/v1/info`)).ok);
}

/** Starts a containerd worker and waits until web counts it as running. */
export async function startWorker(
  namespaces: Namespaces,
  { concourse, containers }: ConcoursePrograms,
  resourceTypes: string,
): Promise<void> {
  await writeFile(join(state, 'containerd.toml'), containerdConfig());
  const flags = {
    name: 'oracle',
    'work-dir': join(state, 'worker'),
    runtime: 'containerd',
    'containerd-bin': join(containers, 'containerd'),
    'containerd-config': join(state, 'containerd.toml'),
    'containerd-init-bin': join(containers, 'init'),
    'containerd-cni-plugins-dir': '/usr/lib/cni',
    'containerd-external-ip': LAYOUT.ip, // it cannot be guessed where no route leads out
    'baggageclaim-driver': 'overlay',
    'resource-types': resourceTypes,
    'tsa-host': `127.0.0.1:${LAYOUT.tsaPort}`,
    'tsa-public-key': join(KEYS, 'tsa.pub'),
    'tsa-worker-private-key': join(KEYS, 'worker'),
  };
  const command = [concourse, 'worker', '--ephemeral', ...toArguments(flags)];
  const env = { ...process.env, PATH: `${containers}:${process.env['PATH']}` };
  const worker = namespaces.spawn(command, env, logOf('worker'));
  await untilReady('worker', worker, async () =>
    (await query(namespaces, 'select state from workers')).includes('running'),
  );
}

/**
 * The config that the worker would write itself, except for three things: oom_score stays 0, because lowering it needs a
 * capability that root may lack; its directories are ours; and no CRI plugin of this newer containerd starts.
 */
function containerdConfig(): string {
  const disabled = [
    'io.containerd.grpc.v1.cri',
    'io.containerd.cri.v1.runtime',
    'io.containerd.cri.v1.images',
    'io.containerd.snapshotter.v1.btrfs',
    'io.containerd.snapshotter.v1.zfs',
  ];
  return `version = 3
oom_score = 0
state = "${join(state, 'containerd-run')}"
disabled_plugins = ${JSON.stringify(disabled)}
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(state, 'containerd-opt')}"
`;
}

function toArguments(flags: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

function logOf(name: string): string {
  return join(state, 'log', `${name}.log`);
}

async function untilReady(name: string, daemon: ChildProcess, ready: () => Promise<boolean>): Promise<void> {
  const died = once(daemon, 'exit').then(() => 'died');
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await ready().catch(() => false))) {
    const waited = await Promise.race([died, sleep(POLL_MS, 'waited')]);
    if (waited === 'died' || performance.now() > deadline) {
      const how = waited === 'died' ? 'ended' : `is not ready after ${START_TIMEOUT_MS / 1000} s`;
      throw new Error(`Concourse's ${name} ${how}; it says:\n${await lastWords(name)}`);
    }
  }
}

async function lastWords(name: string): Promise<string> {
  const text = await readFile(logOf(name), 'utf8').catch(() => '(nothing)');
  return text.trimEnd().split('\n').slice(-10).join('\n');
}
