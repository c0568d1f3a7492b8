import type { VarReference, VarSourceConfig } from '@seaplane/config';
import type { Variables } from '@seaplane/engine';
import { type ManualClock, manualClock } from '@seaplane/engine/testing';
import { Credentials } from '../credentials.ts';
import type { Identity } from '../identity/identity.ts';
import type { ManagerType } from '../manager.ts';
import { MANAGER_TYPES } from '../manager-types.ts';

export const VAULT: VarSourceConfig = { name: 'vault', type: 'vault', config: { client_token: 'token' } };

/** An installation without keys. */
export const NO_KEYS: Identity = { issuer: 'https://ci.example', newestKey: async () => undefined };

export interface TestCredentials extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly problems: string[];
  readonly credentials: Credentials;
}

export function openCredentials(...types: readonly ManagerType[]): TestCredentials {
  return openCredentialsOf(NO_KEYS, ...types);
}

export function openCredentialsOf(identity: Identity, ...types: readonly ManagerType[]): TestCredentials {
  const clock = manualClock();
  const problems: string[] = [];
  const onError = (error: unknown, what: string) => void problems.push(`${what}: ${(error as Error).message}`);
  const credentials = new Credentials({ clock, identity, onError, types: [...MANAGER_TYPES, ...types] });
  return { clock, problems, credentials, [Symbol.asyncDispose]: () => credentials[Symbol.asyncDispose]() };
}

/** Looks up a variable by its name in a pipeline: `source:path.field`. */
export function lookUp(variables: Variables, name: string, signal = new AbortController().signal): Promise<unknown> {
  return variables.get(reference(name), signal);
}

export function reference(name: string): VarReference {
  const [rest = '', source] = name.split(':').reverse();
  const [path = '', ...fields] = rest.split('.');
  return { ...(source === undefined ? {} : { source }), path, fields };
}
