import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClientFactory, createSigner, generateKeys } from '@seaplane/baggageclaim';
import { type HostServices, type OpenHost, systemClock } from '@seaplane/orchestrator';
import { createLocalHost } from '../local-host.ts';
import { resetLocal } from '../reset-local.ts';

/** A local worker in a directory of its own. `open` gives another web's host of the same worker. */
export interface TestHost extends AsyncDisposable {
  readonly directory: string;
  readonly host: OpenHost;
  readonly troubles: readonly string[];
  open(change?: Partial<HostServices>): OpenHost;
}

/** Why no sandbox can be made here; undefined if it can. */
export function whyNoLocalHost(): string | undefined {
  if (process.platform !== 'linux') return 'the local host needs Linux';
  return process.getuid?.() === 0 ? undefined : 'the tests of the local host need root';
}

/** The services of a web for the worker `local`. Its troubles are added to the list. */
export async function testServices(troubles: string[] = []): Promise<HostServices> {
  const signer = createSigner(generateKeys().privateKey);
  const authority = await signer.authorityOf('local');
  return {
    installation: 'test',
    publicKey: signer.publicKey,
    authorityKey: authority.key,
    client: createClientFactory(signer.sign, authority),
    relay: () => Promise.reject(new Error('this machine has no relay')),
    onTrouble: (error) => troubles.push(error.message),
    clock: systemClock,
  };
}

export async function openTestHost(): Promise<TestHost> {
  const directory = await mkdtemp(join(tmpdir(), 'local-'));
  const troubles: string[] = [];
  const services = await testServices(troubles);
  const opened: OpenHost[] = [];
  const open = (change: Partial<HostServices> = {}) => {
    const host = createLocalHost('local', { directory, keptSandboxes: 50, registries: {} }, { ...services, ...change });
    opened.push(host);
    return host;
  };
  return {
    directory,
    host: open(),
    troubles,
    open,
    async [Symbol.asyncDispose]() {
      for (const host of opened) host[Symbol.dispose]();
      await resetLocal(directory);
    },
  };
}

/** Ends the agent of a directory by SIGKILL. */
export function killAgent(directory: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (isAgent(pid, directory)) process.kill(Number(pid), 'SIGKILL');
  }
}

function isAgent(pid: string, directory: string): boolean {
  try {
    const [, program, argument] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return argument === directory && program?.endsWith('/local/src/main.ts') === true;
  } catch {
    return false; // it has ended meanwhile
  }
}
