import { collectionPath, type Kind, type Namespace, remove } from './api/objects.ts';
import { listAll } from './api/reflector.ts';
import type { KubeObject } from './api/wire.ts';
import { ownSelector } from './pod/labels.ts';
import type { Target } from './target.ts';

/** Pods first: a volume claim goes only after the pod that uses it. */
const KINDS = ['pods', 'services', 'persistentvolumeclaims', 'networkpolicies'] as const satisfies readonly Kind[];

/**
 * Deletes everything that this installation made for the target. Returns true if nothing was left: pods take a while to end,
 * and claims wait for them. Idempotent. `graceSecondsOf` says how long an object may take to end.
 */
export async function clearTarget(
  target: Target,
  namespace: Namespace,
  secret: string,
  graceSecondsOf: (object: KubeObject) => number,
  signal: AbortSignal,
): Promise<boolean> {
  let left = 0;
  for (const kind of KINDS) {
    const list = { api: namespace.api, path: collectionPath(namespace, kind), what: `its ${kind}` };
    const selectors = { labelSelector: ownSelector(target) };
    const { objects } = await listAll<KubeObject>({ ...list, selectors }, signal);
    left += objects.length;
    for (const object of objects)
      await remove(namespace, kind, object.metadata?.name ?? '', graceSecondsOf(object), signal);
  }
  // Our Role can't list secrets, and this one is known by its name.
  await remove(namespace, 'secrets', secret, 0, signal);
  return left === 0;
}
