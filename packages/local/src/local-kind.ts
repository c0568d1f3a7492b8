import { isAbsolute, resolve } from 'node:path';
import { type ConfigReader, count, HostError, type HostKind, text } from '@seaplane/orchestrator';
import { createLocalHost } from './local-host.ts';
import { parseRegistries, type Registries } from './registries.ts';

export interface LocalConfig {
  /** Holds everything of the worker: sandboxes, artifacts, images. */
  readonly directory: string;
  /** How many sandboxes of builds that have ended are kept for `fly intercept`. */
  readonly keptSandboxes: number;
  readonly registries: Registries;
}

const KEPT_SANDBOXES = 50;

/** The kernel takes so many bytes for the path of a socket. A sandbox's socket is this much longer than the directory. */
const LONGEST_SOCKET = process.platform === 'darwin' ? 103 : 107;
const LONGEST_PATH = LONGEST_SOCKET - '/sandboxes/0123456789abcdef/control/supervisor.sock'.length;

/** The machine that web runs on: each step has namespaces and an overlay of its own, and no container engine. */
export const localKind: HostKind<LocalConfig> = {
  name: 'local',
  platform: 'linux',
  baseTypes: 'built-in',
  parse: (entry: ConfigReader) => ({
    directory: entry.required('directory', directory),
    keptSandboxes: parseKeptSandboxes(entry),
    registries: entry.optional('registries', parseRegistries) ?? {},
  }),
  open: (worker, config, services) => createLocalHost(worker.name, config, services),
};

export function parseKeptSandboxes(entry: ConfigReader): number {
  return entry.optional('keptSandboxes', count) ?? KEPT_SANDBOXES;
}

function directory(where: string, value: unknown): string {
  const path = text(where, value);
  if (!isAbsolute(path)) throw new HostError('bad-config', `${where} must be an absolute path`);
  if (Buffer.byteLength(resolve(path)) > LONGEST_PATH) {
    throw new HostError(
      'bad-config',
      `${where} has more than ${LONGEST_PATH} bytes: sockets below it would have no name`,
    );
  }
  return resolve(path);
}
