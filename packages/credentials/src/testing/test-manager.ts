import type { Json } from '@seaplane/config';
import type { ManagerType, Secret, VarScope } from '../manager.ts';

/** A manager with a login, like that of a remote server. The test decides what it holds and how it fails. */
export interface TestManager {
  /** Stands in for Vault: the checks of a var source's configuration know only real types. */
  readonly type: ManagerType;
  readonly secrets: Record<string, Secret>;
  /** Thrown by the next logins and reads, one each. */
  readonly openErrors: Error[];
  readonly readErrors: Error[];
  /** The token of each login, each path that was read, each token whose manager was closed; in order. */
  readonly logins: Json[];
  readonly reads: string[];
  readonly closed: Json[];
  /** While set, reads wait for it, or for the signal. */
  gate?: Promise<void>;
}

export function testManager(secrets: Record<string, Secret> = {}): TestManager {
  const manager: TestManager = {
    secrets,
    openErrors: [],
    readErrors: [],
    logins: [],
    reads: [],
    closed: [],
    type: {
      type: 'vault',
      async open(config) {
        const { client_token: token } = config as { readonly client_token: Json };
        manager.logins.push(token);
        const error = manager.openErrors.shift();
        if (error) throw error;
        return {
          paths: vaultPaths,
          async read(path) {
            manager.reads.push(path);
            const failure = manager.readErrors.shift();
            await manager.gate;
            if (failure) throw failure;
            return manager.secrets[path];
          },
          [Symbol.asyncDispose]: async () => void manager.closed.push(token),
        };
      },
    },
  };
  return manager;
}

/** As Vault has them by default. */
function vaultPaths(name: string, { team, pipeline }: VarScope): string[] {
  const prefixes = pipeline === undefined ? [team] : [`${team}/${pipeline}`, team];
  return prefixes.map((prefix) => `/concourse/${prefix}/${name}`);
}
