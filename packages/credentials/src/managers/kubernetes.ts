import type { Json } from '@seaplane/config';
import type { CredentialManager, VarScope } from '../manager.ts';

/** Reads a secret of a cluster: its keys with their values. Undefined: there is no such secret. Throws a CredentialError. */
export type ReadSecret = (
  namespace: string,
  name: string,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** The key whose value is the variable. A secret without it is a map. */
const VALUE = 'value';

/**
 * Variables that are Secrets of a Kubernetes cluster: `((NAME))` is the secret `PIPELINE.NAME`, or else `NAME`, in the
 * namespace of the team. A path is `NAMESPACE/SECRET`.
 */
export function kubernetesSecrets(read: ReadSecret, namespacePrefix: string): CredentialManager {
  return {
    paths(name: string, { team, pipeline }: VarScope) {
      const names = pipeline === undefined ? [name] : [`${pipeline}.${name}`, name];
      return names.map((each) => `${namespacePrefix}${team}/${each}`);
    },
    async read(path, _scope, signal) {
      const slash = path.indexOf('/');
      const data = await read(path.slice(0, slash), path.slice(slash + 1), signal);
      if (!data) return undefined;
      const value: Json = Object.hasOwn(data, VALUE) ? (data[VALUE] as string) : { ...data };
      return { value };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
