import { readFile, stat } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { HostError } from '@seaplane/orchestrator';
import type { Target } from '../target.ts';
import type { ApiOrigin } from './api-failure.ts';

/** How to reach one API server and log in to it. */
export interface ClusterAccess {
  readonly place: ApiOrigin;
  /** Adds certificates, credentials and the agent of a proxy to a request. May run a credential helper. */
  authorize(options: RequestOptions): Promise<void>;
  /** Whether requests go through a proxy, whose agent {@link authorize} brings. */
  readonly proxied: boolean;
  /** Whether the file has changed since it was read. */
  changed(): Promise<boolean>;
}

/** Who uses a cluster, and how it is found. */
export type ClusterUser = Pick<Target, 'name' | 'namespace' | 'cluster'>;

/** Reads the target's kubeconfig, or the service account of web's own pod. Does not ask the cluster. */
export async function loadCluster(target: ClusterUser): Promise<ClusterAccess> {
  const { cluster } = target;
  if (cluster.kind === 'in-cluster') return inCluster(target);

  const { path } = cluster;
  const read = await stampOf(path);
  const config = await parseFile(target, path);
  const context = cluster.context ?? config.getCurrentContext();
  if (!context) {
    throw bad(target, `${path} has no current-context: name one of its contexts as the target's context`);
  }
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) {
    throw bad(target, `${path} has no context ${context}; it has: ${names.join(', ') || 'none'}`);
  }
  config.setCurrentContext(context);
  if (!config.getCurrentCluster()) throw bad(target, `${path}: the cluster of the context ${context} is missing`);
  if (!config.getCurrentUser()) throw bad(target, `${path}: the user of the context ${context} is missing`);
  return access(target, config, `the context ${context} of ${path}`, async () => {
    const now = await stampOf(path);
    return now !== undefined && now !== read;
  });
}

/** Changes with the file. Undefined while there is no file. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

async function parseFile(target: ClusterUser, path: string): Promise<KubeConfig> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw bad(target, `the kubeconfig ${path} can't be read: ${why}. Put it there, or name another`, cause);
  });
  const config = await emptyConfig();
  try {
    // The parser's message may quote the file, and with it a secret. So it is not passed on.
    config.loadFromString(text);
  } catch {
    throw bad(target, `${path} is not a kubeconfig: it is not valid YAML, or lacks a name or a server's address`);
  }
  config.makePathsAbsolute(path.slice(0, path.lastIndexOf('/') + 1));
  return config;
}

async function inCluster(target: ClusterUser): Promise<ClusterAccess> {
  if (!process.env['KUBERNETES_SERVICE_HOST']) {
    throw bad(
      target,
      'the target does not name a kubeconfig, and web does not run in a pod, so it has no service account either. Name a kubeconfig',
    );
  }
  const config = await emptyConfig();
  config.loadFromCluster();
  return access(target, config, "the service account of web's pod", async () => false); // the client reads renewed tokens itself
}

/** The client takes 130 MB of memory, so only a web that has a cluster loads it. */
async function emptyConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig();
}

function access(
  target: ClusterUser,
  config: KubeConfig,
  origin: string,
  changed: ClusterAccess['changed'],
): ClusterAccess {
  const { server, proxyUrl } = config.getCurrentCluster() ?? { server: '' };
  const place = { worker: target.name, namespace: target.namespace, server, origin };
  return {
    place,
    proxied: Boolean(proxyUrl),
    changed,
    async authorize(options) {
      try {
        await config.applyToHTTPSOptions(options);
      } catch (cause) {
        // Certificate files that are gone, a credential helper that fails.
        throw bad(target, `the credentials of ${origin} can't be used: ${(cause as Error).message}`, cause);
      }
    },
  };
}

function bad(target: ClusterUser, message: string, cause?: unknown): HostError {
  return new HostError('bad-config', `worker ${target.name}: ${message}`, { cause });
}
