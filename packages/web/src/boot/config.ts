import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseLocalUsers } from '@seaplane/api';
import { parseDuration } from '@seaplane/config';
import { checkEncryptionKey, type DatabaseConfig, type EncryptionKeys } from '@seaplane/db';
import type { StepDefaults } from '@seaplane/engine';
import type { PlacementSettings } from '@seaplane/orchestrator';
import { defaultDataDir, type Machine } from './data-dir.ts';
import { HTTP_FLAGS, HTTP_HELP, type HttpSettings, parseHttpSettings } from './http-settings.ts';
import {
  type KubernetesSecretsConfig,
  parseKubernetesSecrets,
  SECRETS_FLAGS,
  SECRETS_HELP,
} from './kubernetes-secrets.ts';
import { LOOP_FLAGS, LOOP_HELP, type LoopSettings, parseLoopSettings } from './loop-settings.ts';
import { Mistake, variableFor, whereSet } from './mistake.ts';
import { PLACEMENT_FLAGS, PLACEMENT_HELP, parsePlacement } from './placement-settings.ts';
import { parseStepDefaults } from './step-defaults.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface WebConfig extends HttpSettings {
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  readonly database: DatabaseConfig;
  /** Encrypt what the database keeps of secrets. */
  readonly encryption: EncryptionKeys;
  readonly logLevel: LogLevel;
  /** Holds everything that must outlive web: the embedded database, the signing key. */
  readonly dataDir: string;
  /** The URL at which users reach this web. Absent: the address it serves on. */
  readonly externalUrl?: string;
  /** The URL that identity tokens name as their issuer. Absent: the URL at which users reach this web. */
  readonly oidcIssuerUrl?: string;
  readonly signingKeys: SigningKeyConfig;
  readonly clusterName?: string;
  /** The version of Concourse that the API answers as. Absent: the one it is compatible with. */
  readonly concourseVersion?: string;
  /** The file that lists the workers. */
  readonly targetsFile?: string;
  /** A cluster that is a worker, beside those of the file. */
  readonly cluster?: ClusterFlags;
  /** Whether this machine is a worker, too. By default it is one if there is no targets file. */
  readonly localWorker: boolean;
  /** The directory of the `fly` binaries that `fly sync` downloads. */
  readonly flyDirectory?: string;
  /** `name:password,...`. Absent: web makes an administrator with a password. */
  readonly localUsers?: string;
  /** The local users who own the team `main`. They are administrators. */
  readonly mainTeamUsers: readonly string[];
  /** The cluster whose secrets are variables. */
  readonly kubernetesSecrets?: KubernetesSecretsConfig;
  /** Whether the logs of builds hide the values of variables. */
  readonly redactSecrets: boolean;
  /** How long web waits at its start for a database of the user's own that is away. */
  readonly databaseWaitMs: number;
  /** Periodic checks that begin in a second. 0: by the number of resources; negative: without a limit. */
  readonly maxChecksPerSecond: number;
  /** For steps that say nothing themselves. */
  readonly stepDefaults: StepDefaults;
  readonly loops: LoopSettings;
  readonly placement: PlacementSettings;
  /** The file that changes which role an action of the API needs. */
  readonly rolesFile?: string;
  /** The file with defaults for the sources of base resource types. */
  readonly typeDefaultsFile?: string;
}

/** A worker on Kubernetes that needs no targets file. */
export interface ClusterFlags {
  readonly kubeconfig: string;
  /** Absent: the namespace of the kubeconfig's context, or `seaplane`. */
  readonly namespace?: string;
  /** The image of the sidecar and the store. */
  readonly image: string;
}

/** How long the keys live that sign identity tokens, in milliseconds. */
export interface SigningKeyConfig {
  readonly checkMs: number;
  /** 0: keys are not replaced. */
  readonly rotationMs: number;
  readonly graceMs: number;
}

export type Command =
  | { readonly kind: 'run'; readonly config: WebConfig }
  /** Delete all data. */
  | { readonly kind: 'reset'; readonly config: WebConfig }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

/** The name that deploy/kubernetes and the Dockerfile use. */
export const BAGGAGECLAIM_IMAGE = 'seaplane/baggageclaim:latest';

export const HELP = `Seaplane: Concourse CI, native on Kubernetes.

Usage: npm start -- [flags]

Without flags, everything runs on this machine: web, its database, and steps in sandboxes of their own.

  --port PORT        port to serve on                       SEAPLANE_PORT, default 8080 (0: any free one)
  --host HOST        address to serve on                    SEAPLANE_HOST, default 127.0.0.1
  --data-dir DIR     where web keeps its data               SEAPLANE_DATA_DIR, default ~/.local/share/seaplane
                                                            (for root: /var/lib/seaplane)
  --log-level LEVEL  ${LOG_LEVELS.join(', ')}
                                                            SEAPLANE_LOG_LEVEL, default info
  --external-url URL where users reach this server          SEAPLANE_EXTERNAL_URL, default http://localhost:PORT
  --cluster-name N   shown to users                         SEAPLANE_CLUSTER_NAME
  --targets FILE     where steps run (JSON or YAML, a list  SEAPLANE_TARGETS
                     of targets; see docs/operators/targets.md)
  --kubeconfig FILE  a cluster where steps run, too, in    SEAPLANE_KUBECONFIG
                     one namespace of it (docs/operators/targets.md#one-flag)
  --namespace N      the namespace                          SEAPLANE_NAMESPACE, default that of the kubeconfig's
                                                            context, or seaplane
  --baggageclaim-image I  the image of Seaplane's own      SEAPLANE_BAGGAGECLAIM_IMAGE, default
                     containers in that cluster             ${BAGGAGECLAIM_IMAGE}
  --local-worker BOOL  whether steps run on this machine,  SEAPLANE_LOCAL_WORKER, default true if there are no
                     too (docs/operators/local-worker.md)   --targets
  --fly-dir DIR      the fly binaries that fly sync fetches SEAPLANE_FLY_DIR
  --concourse-version V  the version of Concourse to       SEAPLANE_CONCOURSE_VERSION, default 8.2.5
                     answer as: fly wants its own
  --max-checks-per-second N  periodic checks that begin    SEAPLANE_MAX_CHECKS_PER_SECOND, default 0: by the
                     in a second                            number of resources; -1: no limit
  --database-wait D  how long to wait at the start for the  SEAPLANE_DATABASE_WAIT, default 1m
                     server of DATABASE_URL if it is away
  --oidc-issuer-url URL  the issuer of identity tokens     SEAPLANE_OIDC_ISSUER_URL, default the external URL
  --signing-key-rotation-period D  a key that signs        SEAPLANE_SIGNING_KEY_ROTATION_PERIOD, default 168h;
                     identity tokens is used this long      0: for ever
  --signing-key-grace-period D  and is published this      SEAPLANE_SIGNING_KEY_GRACE_PERIOD, default 24h
                     long after that
  --signing-key-check-interval D  how often web looks at   SEAPLANE_SIGNING_KEY_CHECK_INTERVAL, default 10m
                     the age of the keys
${SECRETS_HELP}
  --default-task-cpu-limit N     limits of a task that has  SEAPLANE_DEFAULT_TASK_CPU_LIMIT
  --default-task-memory-limit M  none (512, 1GB)            SEAPLANE_DEFAULT_TASK_MEMORY_LIMIT
  --default-get-timeout T        timeout of a step that     SEAPLANE_DEFAULT_GET_TIMEOUT
  --default-put-timeout T        has none (1h30m)           SEAPLANE_DEFAULT_PUT_TIMEOUT
  --default-task-timeout T                                  SEAPLANE_DEFAULT_TASK_TIMEOUT
  --default-task-cache-ttl T     when an unused cache of a  SEAPLANE_DEFAULT_TASK_CACHE_TTL, default: never
                                 task expires
  --base-resource-type-defaults FILE  YAML: a source for    SEAPLANE_BASE_RESOURCE_TYPE_DEFAULTS
                     each base type, under that of resources
  --config-rbac FILE YAML: lists of actions, by the role    SEAPLANE_CONFIG_RBAC
                     that they need
  --resource-checking-interval D  of resources without      SEAPLANE_RESOURCE_CHECKING_INTERVAL, default 1m
                     check_every, and of images
  --resource-with-webhook-checking-interval D               SEAPLANE_RESOURCE_WITH_WEBHOOK_CHECKING_INTERVAL
  --resource-type-checking-interval D                       SEAPLANE_RESOURCE_TYPE_CHECKING_INTERVAL
  --global-resource-check-timeout T  of a check without one SEAPLANE_GLOBAL_RESOURCE_CHECK_TIMEOUT, default 1h${PLACEMENT_HELP}${LOOP_HELP}${HTTP_HELP}
  --reset            ends all steps that run on this machine, deletes all data in DATA_DIR, and exits
  --help             this text

  SEAPLANE_LOCAL_USERS      name:password,... (plain or bcrypt). Without it there is one user, admin; web makes
                            its password at the first start and keeps it in DATA_DIR/admin-password.
  SEAPLANE_MAIN_TEAM_USERS  local users who own the team main; default: the first one
  SEAPLANE_MAX_EVENT_STREAMS             how many builds may be watched at the same time; default 5000
  SEAPLANE_MAX_EVENT_STREAMS_PER_CLIENT  how many of them by one user or address; default 1000
  SEAPLANE_REDACT_SECRETS   false shows the values of variables in builds' logs; default true

  SEAPLANE_ENCRYPTION_KEY   16 or 32 characters. Encrypts configurations, plans and signing keys in the database
  SEAPLANE_OLD_ENCRYPTION_KEY  the former key, at the first start after it was changed or taken away

  DATABASE_URL       a PostgreSQL server of your own (15 or newer) instead of the embedded one:
                     postgresql://user:password@host:5432/database. There is no flag for it, because
                     other users of the machine can read command lines.

A flag wins over its variable. Ctrl-C stops web and its database. Steps that run go on, and the next start
takes them up.
`;

export const FLAGS = [
  'port',
  'host',
  'data-dir',
  'log-level',
  'external-url',
  'cluster-name',
  'targets',
  'kubeconfig',
  'namespace',
  'baggageclaim-image',
  'local-worker',
  'fly-dir',
  'concourse-version',
  'max-checks-per-second',
  'database-wait',
  'oidc-issuer-url',
  'signing-key-rotation-period',
  'signing-key-grace-period',
  'signing-key-check-interval',
  ...SECRETS_FLAGS,
  'default-task-cpu-limit',
  'default-task-memory-limit',
  'default-get-timeout',
  'default-put-timeout',
  'default-task-timeout',
  'default-task-cache-ttl',
  'base-resource-type-defaults',
  'config-rbac',
  'resource-checking-interval',
  'resource-with-webhook-checking-interval',
  'resource-type-checking-interval',
  'global-resource-check-timeout',
  ...PLACEMENT_FLAGS,
  ...LOOP_FLAGS,
  ...HTTP_FLAGS,
] as const;
type Flag = (typeof FLAGS)[number];

/** Reads flags and environment. Pure: it does not use files or the network. */
export function parseCommand(args: readonly string[], env: NodeJS.ProcessEnv, machine: Machine): Command {
  try {
    const flags = parseFlags(args);
    if (flags === 'help') return { kind: 'help' };
    const read = (flag: Flag) => flags.get(flag) ?? (env[variableFor(flag)] || undefined);
    const dataDir = resolve(read('data-dir') ?? defaultDataDir(env, machine));
    const targetsFile = read('targets');
    const hasLocalWorker = machine.platform === 'linux' && targetsFile === undefined;
    const config: WebConfig = {
      dataDir,
      ...optional('externalUrl', parseUrl('external-url', read('external-url'))),
      ...optional('oidcIssuerUrl', parseUrl('oidc-issuer-url', read('oidc-issuer-url'))),
      signingKeys: {
        checkMs: parsePeriod('signing-key-check-interval', read('signing-key-check-interval') ?? '10m', 1_000),
        rotationMs: parsePeriod('signing-key-rotation-period', read('signing-key-rotation-period') ?? '168h', 0),
        graceMs: parsePeriod('signing-key-grace-period', read('signing-key-grace-period') ?? '24h', 0),
      },
      ...optional('clusterName', read('cluster-name')),
      ...optional('targetsFile', targetsFile),
      ...optional('cluster', parseCluster(read)),
      localWorker: parseFlag('local-worker', read('local-worker')) ?? hasLocalWorker,
      ...optional('flyDirectory', read('fly-dir')),
      ...optional('concourseVersion', parseVersion(read('concourse-version'))),
      ...optional('localUsers', checkLocalUsers(env['SEAPLANE_LOCAL_USERS'] || undefined)),
      stepDefaults: parseStepDefaults(read),
      loops: parseLoopSettings(read),
      placement: parsePlacement(read),
      ...optional('rolesFile', read('config-rbac')),
      ...optional('typeDefaultsFile', read('base-resource-type-defaults')),
      maxChecksPerSecond: parseChecksPerSecond(read('max-checks-per-second') ?? '0'),
      databaseWaitMs: parsePeriod('database-wait', read('database-wait') ?? '1m', 0),
      ...parseHttpSettings(read, env),
      encryption: {
        current: parseKey(env, 'SEAPLANE_ENCRYPTION_KEY'),
        old: parseKey(env, 'SEAPLANE_OLD_ENCRYPTION_KEY'),
      },
      ...optional('kubernetesSecrets', parseKubernetesSecrets(read)),
      redactSecrets: env['SEAPLANE_REDACT_SECRETS'] !== 'false',
      mainTeamUsers: (env['SEAPLANE_MAIN_TEAM_USERS'] ?? '').split(',').filter(Boolean),
      host: read('host') ?? '127.0.0.1',
      port: parsePort(read('port') ?? '8080'),
      logLevel: parseLogLevel(read('log-level') ?? 'info'),
      database: env['DATABASE_URL']
        ? { kind: 'external', url: env['DATABASE_URL'] }
        : { kind: 'embedded', directory: join(dataDir, 'postgres') },
    };
    return { kind: flags.has('reset') ? 'reset' : 'run', config };
  } catch (error) {
    if (error instanceof Mistake) return { kind: 'mistake', message: error.message };
    throw error;
  }
}

function parseFlags(args: readonly string[]): ReadonlyMap<Flag | 'reset', string> | 'help' {
  const options = {
    help: { type: 'boolean', short: 'h' },
    reset: { type: 'boolean' },
    ...Object.fromEntries(FLAGS.map((flag) => [flag, { type: 'string' }] as const)),
  } as const;
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<Flag | 'reset', string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw new Mistake(`unexpected argument "${token.value}"`);
    if (token.kind === 'option-terminator') continue;
    if (token.name === 'help') return 'help';
    if (token.name === 'reset') {
      flags.set('reset', '');
      continue;
    }
    const flag = FLAGS.find((known) => known === token.name);
    if (!flag) throw new Mistake(`unknown flag ${token.rawName}`);
    const isNextFlag = token.inlineValue === false && /^-\D/.test(token.value);
    if (!token.value || isNextFlag) throw new Mistake(`${token.rawName} needs a value`);
    flags.set(flag, token.value);
  }
  return flags;
}

function parseCluster(read: (flag: Flag) => string | undefined): ClusterFlags | undefined {
  const [kubeconfig, namespace, image] = [read('kubeconfig'), read('namespace'), read('baggageclaim-image')];
  if (kubeconfig !== undefined) {
    return { kubeconfig: resolve(kubeconfig), ...(namespace ? { namespace } : {}), image: image ?? BAGGAGECLAIM_IMAGE };
  }
  const alone = namespace !== undefined ? 'namespace' : image !== undefined ? 'baggageclaim-image' : undefined;
  if (alone) throw new Mistake(`--kubeconfig is missing: it names the cluster ${whereSet(alone)}`);
  return undefined;
}

function optional<K extends keyof WebConfig>(key: K, value: WebConfig[K] | undefined): Partial<Pick<WebConfig, K>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Pick<WebConfig, K>>);
}

/** Removes the slash at the end, because paths are appended. */
function parseUrl(flag: Flag, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')) {
    throw new Mistake(`"${text}" is not a URL with http:// or https:// ${whereSet(flag)}`);
  }
  return text.replace(/\/+$/, '');
}

/** A duration such as `168h`, in milliseconds. */
function parsePeriod(flag: Flag, text: string, leastMs: number): number {
  const where = whereSet(flag);
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch {
    throw new Mistake(`"${text}" is not a duration: give one such as 168h or 10m ${where}`);
  }
  if (ms >= leastMs) return ms;
  throw new Mistake(`"${text}" is too short: give at least ${leastMs / 1000}s ${where}`);
}

function checkLocalUsers(text: string | undefined): string | undefined {
  try {
    parseLocalUsers(text ?? '');
    return text;
  } catch (error) {
    throw new Mistake(`SEAPLANE_LOCAL_USERS: ${(error as Error).message}`);
  }
}

/** The key itself is not shown. */
function parseKey(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = env[name] || undefined;
  try {
    if (key) checkEncryptionKey(key);
    return key;
  } catch (error) {
    throw new Mistake(`${name}: ${(error as Error).message}`);
  }
}

/** fly takes the version apart, and refuses every command if it cannot. */
function parseVersion(text: string | undefined): string | undefined {
  if (text === undefined || /^\d+\.\d+\.\d+$/.test(text)) return text;
  throw new Mistake(`"${text}" is not a version: give three numbers, such as 8.2.5 ${whereSet('concourse-version')}`);
}

function parseChecksPerSecond(text: string): number {
  if (/^(\d{1,6}|-1)$/.test(text)) return Number(text);
  throw new Mistake(
    `"${text}" is not a number of checks: give a whole number, 0 or -1 ${whereSet('max-checks-per-second')}`,
  );
}

function parseFlag(flag: Flag, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Mistake(`"${text}" is neither true nor false (--${flag}, ${variableFor(flag)})`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Mistake(`"${text}" is not a port: give a number from 0 to 65535 ${whereSet('port')}`);
  }
  return port;
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) throw new Mistake(`"${text}" is not a log level: give one of ${LOG_LEVELS.join(', ')}`);
  return level;
}
