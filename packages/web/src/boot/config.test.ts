import { expect, test } from 'vitest';
import { type Command, FLAGS, HELP, LOG_LEVELS, parseCommand } from './config.ts';
import type { Machine } from './data-dir.ts';
import { parseLoopSettings } from './loop-settings.ts';
import { parsePlacement } from './placement-settings.ts';

const user: Machine = { isRoot: false, home: '/home/ada', platform: 'linux' };

function config(args: string[], env: NodeJS.ProcessEnv = {}, machine = user) {
  const command = parseCommand(args, env, machine);
  if (command.kind !== 'run') throw new Error(`not a command to run: ${JSON.stringify(command)}`);
  return command.config;
}

const SIGNING_KEYS = { checkMs: 600_000, rotationMs: 604_800_000, graceMs: 86_400_000 };

test('[WEB1] the defaults', () => {
  expect(config([])).toEqual({
    host: '127.0.0.1',
    port: 8080,
    logLevel: 'info',
    dataDir: '/home/ada/.local/share/seaplane',
    localWorker: true,
    mainTeamUsers: [],
    encryption: {},
    redactSecrets: true,
    signingKeys: SIGNING_KEYS,
    stepDefaults: {},
    loops: parseLoopSettings(() => undefined),
    placement: parsePlacement(() => undefined),
    maxChecksPerSecond: 0,
    databaseWaitMs: 60_000,
    streamLimits: { perClient: 1_000, inAll: 5_000 },
    interceptIdleMs: 0,
    imageOrigins: [],
    database: { kind: 'embedded', directory: '/home/ada/.local/share/seaplane/postgres' },
  });
});

test('[WEB1] keys that encrypt are variables only; one of the wrong length is a mistake that does not show it', () => {
  const env = { SEAPLANE_ENCRYPTION_KEY: 'a key of 16 byte', SEAPLANE_OLD_ENCRYPTION_KEY: 'x'.repeat(32) };
  expect(config([], env).encryption).toEqual({ current: 'a key of 16 byte', old: 'x'.repeat(32) });
  expect(parseCommand([], { ...env, SEAPLANE_OLD_ENCRYPTION_KEY: 'hunter2' }, user)).toEqual({
    kind: 'mistake',
    message: 'SEAPLANE_OLD_ENCRYPTION_KEY: a key has 16 or 32 bytes, and this one has 7',
  });
});

test('[WEB13] strategies are chains, named as in Concourse, with limits for each worker', () => {
  expect(config([]).placement).toMatchObject({
    build: ['volume-locality'],
    noInput: ['volume-locality'],
    check: ['random'],
  });
  const env = { SEAPLANE_CONTAINER_PLACEMENT_STRATEGY: 'limit-active-tasks, fewest-build-containers' };
  const chain = ['limit-active-tasks', 'fewest-build-containers'];
  expect(config(['--max-active-tasks-per-worker', '3'], env).placement).toEqual({
    build: chain,
    noInput: chain,
    check: ['random'],
    maxTasks: 3,
    maxSandboxes: 0,
    maxArtifacts: 0,
    rerunStartedTasks: false,
  });
  expect(config(['--enable-rerun-when-worker-disappears', 'true']).placement.rerunStartedTasks).toBe(true);
  expect(config(['--no-input-container-placement-strategy', 'random'], env).placement.noInput).toEqual(['random']);
  expect(parseCommand(['--check-container-placement-strategy', 'volume-locality'], {}, user)).toMatchObject({
    kind: 'mistake',
    message: expect.stringMatching(/^"volume-locality" is not a strategy: give some of random, .*--check-container-pl/),
  });
  expect(parseCommand(['--max-active-volumes-per-worker', '-1'], {}, user)).toMatchObject({ kind: 'mistake' });
});

test('[WEB1] variables may be secrets of one cluster, with the namespaces of Concourse', () => {
  expect(config(['--kubernetes-in-cluster', 'true']).kubernetesSecrets).toEqual({ namespacePrefix: 'concourse-' });
  const env = { SEAPLANE_KUBERNETES_CONFIG_PATH: '/srv/kube', SEAPLANE_KUBERNETES_NAMESPACE_PREFIX: 'ci-' };
  expect(config([], env).kubernetesSecrets).toEqual({ configPath: '/srv/kube', namespacePrefix: 'ci-' });
  expect(parseCommand(['--kubernetes-in-cluster', 'true'], env, user)).toEqual({
    kind: 'mistake',
    message: 'give either --kubernetes-in-cluster or --kubernetes-config-path, not both',
  });
});

test('[WEB1] variables win over the defaults, flags over variables; empty variables are unset', () => {
  const env = {
    SEAPLANE_PORT: '1',
    SEAPLANE_HOST: '0.0.0.0',
    SEAPLANE_DATA_DIR: '/srv/a',
    SEAPLANE_LOG_LEVEL: 'warn',
  };
  expect(config([], env)).toEqual({
    host: '0.0.0.0',
    port: 1,
    logLevel: 'warn',
    dataDir: '/srv/a',
    localWorker: true,
    mainTeamUsers: [],
    encryption: {},
    redactSecrets: true,
    signingKeys: SIGNING_KEYS,
    stepDefaults: {},
    loops: parseLoopSettings(() => undefined),
    placement: parsePlacement(() => undefined),
    maxChecksPerSecond: 0,
    databaseWaitMs: 60_000,
    streamLimits: { perClient: 1_000, inAll: 5_000 },
    interceptIdleMs: 0,
    imageOrigins: [],
    database: { kind: 'embedded', directory: '/srv/a/postgres' },
  });
  const flags = ['--port=2', '--host', '::1', '--data-dir', '/srv/b', '--log-level', 'debug'];
  expect(config(flags, env)).toEqual({
    host: '::1',
    port: 2,
    logLevel: 'debug',
    dataDir: '/srv/b',
    localWorker: true,
    mainTeamUsers: [],
    encryption: {},
    redactSecrets: true,
    signingKeys: SIGNING_KEYS,
    stepDefaults: {},
    loops: parseLoopSettings(() => undefined),
    placement: parsePlacement(() => undefined),
    maxChecksPerSecond: 0,
    databaseWaitMs: 60_000,
    streamLimits: { perClient: 1_000, inAll: 5_000 },
    interceptIdleMs: 0,
    imageOrigins: [],
    database: { kind: 'embedded', directory: '/srv/b/postgres' },
  });
  expect(config(['--max-checks-per-second', '-1'])).toMatchObject({ maxChecksPerSecond: -1 });
  const streams = { SEAPLANE_MAX_EVENT_STREAMS: '20', SEAPLANE_MAX_EVENT_STREAMS_PER_CLIENT: '3' };
  expect(config([], streams).streamLimits).toEqual({ perClient: 3, inAll: 20 });
  expect(config([], { SEAPLANE_PORT: '', SEAPLANE_HOST: '', DATABASE_URL: '' })).toEqual(config([]));
});

const NO_URL = (text: string) =>
  `"${text}" is not a URL with http:// or https:// (--external-url, SEAPLANE_EXTERNAL_URL)`;

const NO_RATE = (text: string) =>
  `"${text}" is not a number of checks: give a whole number, 0 or -1 (--max-checks-per-second, SEAPLANE_MAX_CHECKS_PER_SECOND)`;

const NO_VERSION = (text: string) =>
  `"${text}" is not a version: give three numbers, such as 8.2.5 (--concourse-version, SEAPLANE_CONCOURSE_VERSION)`;

test.for<[string[], NodeJS.ProcessEnv, string]>([
  [['--max-checks-per-second', 'many'], {}, NO_RATE('many')],
  [['--max-checks-per-second', '-2'], {}, NO_RATE('-2')],
  [['--prot', '9'], {}, 'unknown flag --prot'],
  [['--local-worker', 'on'], {}, '"on" is neither true nor false (--local-worker, SEAPLANE_LOCAL_WORKER)'],
  [[], { SEAPLANE_MAX_EVENT_STREAMS: '0' }, '"0" is not a number above 0 (SEAPLANE_MAX_EVENT_STREAMS)'],
  [['-x'], {}, 'unknown flag -x'],
  [['start'], {}, 'unexpected argument "start"'],
  [['--port'], {}, '--port needs a value'],
  [['--port='], {}, '--port needs a value'],
  [['--host', '--port', '1'], {}, '--host needs a value'],
  [['--port', 'http'], {}, '"http" is not a port: give a number from 0 to 65535 (--port, SEAPLANE_PORT)'],
  [['--port', '65536'], {}, '"65536" is not a port: give a number from 0 to 65535 (--port, SEAPLANE_PORT)'],
  [['--port', '8e3'], {}, '"8e3" is not a port: give a number from 0 to 65535 (--port, SEAPLANE_PORT)'],
  [[], { SEAPLANE_PORT: '-1' }, '"-1" is not a port: give a number from 0 to 65535 (--port, SEAPLANE_PORT)'],
  [['--concourse-version', '8'], {}, NO_VERSION('8')],
  [[], { SEAPLANE_CONCOURSE_VERSION: 'v8.2.5' }, NO_VERSION('v8.2.5')],
  [['--external-url', 'nowhere'], {}, NO_URL('nowhere')],
  [[], { SEAPLANE_EXTERNAL_URL: 'ci.example:8080' }, NO_URL('ci.example:8080')],
  [[], { SEAPLANE_LOCAL_USERS: 'a:sec,ret' }, 'SEAPLANE_LOCAL_USERS: local user 2 of 2 is not written NAME:PASSWORD'],
  [[], { SEAPLANE_LOCAL_USERS: 'a:' }, 'SEAPLANE_LOCAL_USERS: local user 1 of 1 is not written NAME:PASSWORD'],
  [['--log-level', 'loud'], {}, `"loud" is not a log level: give one of ${LOG_LEVELS.join(', ')}`],
])('[WEB1] %j with %j is a mistake', ([args, env, message]) => {
  expect(parseCommand(args, env, user)).toEqual<Command>({ kind: 'mistake', message });
});

test('[WEB1] --help wins over all other flags, and names every flag and variable', () => {
  expect(parseCommand(['--port', '1', '--help'], {}, user)).toEqual({ kind: 'help' });
  expect(parseCommand(['-h'], {}, user)).toEqual({ kind: 'help' });
  for (const name of FLAGS) {
    expect(HELP).toContain(`--${name}`);
    expect(HELP).toContain(`SEAPLANE_${name.toUpperCase().replaceAll('-', '_')}`);
  }
  expect(HELP).toContain('DATABASE_URL');
});

test('[WEB1] this machine is a worker if it runs Linux and there are no targets, or if a flag says so', () => {
  const isWorker = (args: string[], machine = user) => config(args, {}, machine).localWorker;
  expect([isWorker([]), isWorker(['--targets', 't.yml'])]).toEqual([true, false]);
  expect(isWorker(['--targets', 't.yml', '--local-worker', 'true'])).toBe(true);
  expect(isWorker(['--local-worker=false'])).toBe(false);
  expect(isWorker([], { ...user, platform: 'darwin' })).toBe(false);
});

test('[WEB22] --kubeconfig adds a cluster and leaves this machine a worker', () => {
  const image = 'seaplane/baggageclaim:latest';
  expect(config(['--kubeconfig', '/k'])).toMatchObject({ localWorker: true, cluster: { kubeconfig: '/k', image } });
  const flags = ['--kubeconfig=k', '--namespace=ci', '--baggageclaim-image=r.example/b:1'];
  expect(config(flags).cluster).toEqual({
    kubeconfig: `${process.cwd()}/k`,
    namespace: 'ci',
    image: 'r.example/b:1',
  });
  expect(parseCommand(['--namespace', 'ci'], {}, user)).toEqual({
    kind: 'mistake',
    message: '--kubeconfig is missing: it names the cluster (--namespace, SEAPLANE_NAMESPACE)',
  });
});

test('[WEB20] --reset is a command of its own', () => {
  expect(parseCommand(['--data-dir', '/srv/x', '--reset'], {}, user)).toMatchObject({
    kind: 'reset',
    config: { dataDir: '/srv/x' },
  });
});

test('[WEB2] the default data directory', () => {
  const directory = (env: NodeJS.ProcessEnv, machine: Machine) => config([], env, machine).database;
  expect(directory({}, { ...user, isRoot: true, home: '/root' })).toMatchObject({
    directory: '/var/lib/seaplane/postgres',
  });
  expect(directory({ XDG_DATA_HOME: '/data' }, user)).toMatchObject({ directory: '/data/seaplane/postgres' });
  expect(parseCommand([], {}, { ...user, home: undefined })).toEqual({
    kind: 'mistake',
    message: 'there is no home directory to keep data in: name a directory with --data-dir or SEAPLANE_DATA_DIR',
  });
  expect(config(['--data-dir', 'here']).database).toMatchObject({ directory: `${process.cwd()}/here/postgres` });
});

test('[WEB2] with DATABASE_URL nothing else about the database matters', () => {
  const url = 'postgresql://u:p@db.example:5432/ci';
  expect(config(['--data-dir', '/srv'], { DATABASE_URL: url }).database).toEqual({ kind: 'external', url });
  const homeless = { ...user, home: undefined };
  expect(config(['--data-dir', '/srv'], { DATABASE_URL: url }, homeless).database.kind).toBe('external');
  expect(parseCommand([], { DATABASE_URL: url }, homeless)).toMatchObject({ kind: 'mistake' }); // for the signing key
});

test('[WEB1] the external URL has no slash at its end; targets, users', () => {
  const env = { SEAPLANE_LOCAL_USERS: 'a:b', SEAPLANE_MAIN_TEAM_USERS: 'a,c' };
  expect(
    config(
      [
        '--external-url',
        'https://ci.example/',
        '--targets',
        't.yml',
        '--fly-dir',
        '/fly',
        '--concourse-version',
        '7.14.2',
      ],
      env,
    ),
  ).toMatchObject({
    externalUrl: 'https://ci.example',
    targetsFile: 't.yml',
    flyDirectory: '/fly',
    concourseVersion: '7.14.2',
    localUsers: 'a:b',
    mainTeamUsers: ['a', 'c'],
  });
});

test('[WEB10] the issuer of identity tokens and the life of their keys', () => {
  const flags = [
    '--oidc-issuer-url=https://oidc.example/',
    '--signing-key-check-interval=1m',
    '--signing-key-rotation-period=0',
    '--signing-key-grace-period=1h30m',
  ];
  expect(config(flags)).toMatchObject({
    oidcIssuerUrl: 'https://oidc.example',
    signingKeys: { checkMs: 60_000, rotationMs: 0, graceMs: 5_400_000 },
  });
  expect(parseCommand(['--signing-key-grace-period', 'soon'], {}, user)).toEqual({
    kind: 'mistake',
    message:
      '"soon" is not a duration: give one such as 168h or 10m (--signing-key-grace-period, SEAPLANE_SIGNING_KEY_GRACE_PERIOD)',
  });
  expect(parseCommand(['--signing-key-check-interval', '1ms'], {}, user)).toMatchObject({
    message: expect.stringContaining('"1ms" is too short: give at least 1s'),
  });
  expect(parseCommand(['--oidc-issuer-url', 'x'], {}, user)).toMatchObject({
    message: expect.stringContaining('--oidc-issuer-url, SEAPLANE_OIDC_ISSUER_URL'),
  });
});
