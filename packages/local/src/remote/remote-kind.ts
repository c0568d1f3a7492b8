import { isAbsolute } from 'node:path';
import { type ConfigReader, HostError, type HostKind, text } from '@seaplane/orchestrator';
import { createHostOf } from '../local-host.ts';
import { parseKeptSandboxes } from '../local-kind.ts';
import { DialledAgent } from './dialled-agent.ts';

export interface RemoteConfig {
  /** Holds the secret that the worker's machine has, too. */
  readonly key: string;
  readonly keptSandboxes: number;
}

/** Another machine, which dials web and runs sandboxes as the local worker does. */
export const remoteKind: HostKind<RemoteConfig> = {
  name: 'remote',
  platform: 'linux',
  baseTypes: 'built-in',
  parse: (entry: ConfigReader) => ({
    key: entry.required('key', absolutePath),
    keptSandboxes: parseKeptSandboxes(entry),
  }),
  open(worker, config, services) {
    const agent = new DialledAgent(worker.name, config.key, services);
    services.onDial?.(agent);
    return createHostOf(agent, worker.name, config, services);
  },
};

function absolutePath(where: string, value: unknown): string {
  const path = text(where, value);
  if (!isAbsolute(path)) throw new HostError('bad-config', `${where} must be an absolute path`);
  return path;
}
