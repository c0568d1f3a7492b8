import { HostError } from '@seaplane/orchestrator';
import { isOwn, KEY, type Owner } from '../pod/labels.ts';
import type { Kind } from './objects.ts';
import { createOrGet, type Namespace } from './objects.ts';
import type { KubeObject } from './wire.ts';

/** Creates the object, or returns ours that has its name already. Throws if something else has the name. */
export async function createOwn<T extends KubeObject>(
  owner: Owner,
  namespace: Namespace,
  kind: Kind,
  object: T,
  signal: AbortSignal,
): Promise<{ readonly object: T; readonly created: boolean }> {
  const found = await createOrGet(namespace, kind, object, signal);
  if (!isOwn(owner, found.object)) throw notOurs(owner, namespace, found.object);
  return found;
}

/** The error for an object that has a name which we need, and is not ours. */
export function notOurs(owner: Owner, namespace: Namespace, { kind, metadata }: KubeObject): HostError {
  const what = `${kind ?? 'object'} ${metadata?.name}`;
  return new HostError(
    'name-taken',
    `worker ${owner.name}: the ${what} in the namespace ${namespace.name} belongs to ${ownerOf(owner, metadata?.labels)}, ` +
      `so it is left alone. Give this worker a namespace of its own, or delete the ${what} if nobody needs it`,
  );
}

/** The owner that the labels name, in words. */
export function ownerOf(owner: Owner, labels: Readonly<Record<string, string>> | undefined): string {
  const [worker, installation] = [labels?.[KEY.worker], labels?.[KEY.installation]];
  if (worker === undefined) return 'something else';
  if (installation === undefined) return 'an installation of Seaplane that is not named';
  if (installation === owner.installation) return `the worker ${worker}`;
  return `another installation of Seaplane (${installation})`;
}
