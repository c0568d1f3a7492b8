import { isAbsolute } from 'node:path';
import { type ConfigReader, flag, HostError, type HostKind, oneOf, text } from '@seaplane/orchestrator';
import { createHostOf } from '../local-host.ts';
import { parseKeptSandboxes } from '../local-kind.ts';
import { DialledAgent } from './dialled-agent.ts';
import type { MachineKind } from './protocol.ts';

export interface RemoteConfig {
  /** Holds the secret that the worker's machine has, too. */
  readonly key: string;
  readonly keptSandboxes: number;
  readonly machine: MachineKind;
}

/** Another machine, which dials web and runs sandboxes as the local worker does. */
export const remoteKind: HostKind<RemoteConfig> = {
  name: 'remote',
  platform: 'linux',
  machineOf(entry) {
    const { platform, plainProcesses } = parseMachine(entry);
    return plainProcesses ? { platform } : { platform, baseTypes: 'built-in' }; // types are programs of Linux
  },
  parse: (entry: ConfigReader) => ({
    key: entry.required('key', absolutePath),
    keptSandboxes: parseKeptSandboxes(entry),
    machine: parseMachine(entry),
  }),
  open(worker, { key, keptSandboxes, machine }, services) {
    const agent = new DialledAgent(worker.name, key, machine, services);
    services.onDial?.(agent);
    return createHostOf(agent, worker.name, { keptSandboxes, plainProcesses: machine.plainProcesses }, services);
  },
};

/** A Mac has no other way to run steps. */
function parseMachine(entry: ConfigReader): MachineKind {
  const platform = entry.optional('platform', oneOf('linux', 'darwin')) ?? 'linux';
  return { platform, plainProcesses: entry.optional('plainProcesses', flag) ?? platform === 'darwin' };
}

function absolutePath(where: string, value: unknown): string {
  const path = text(where, value);
  if (!isAbsolute(path)) throw new HostError('bad-config', `${where} must be an absolute path`);
  return path;
}
