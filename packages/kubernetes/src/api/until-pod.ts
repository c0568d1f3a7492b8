import type { Clock } from '@seaplane/orchestrator';
import { collectionPath, type Namespace } from './objects.ts';
import { reflect } from './reflector.ts';
import type { Pod } from './wire.ts';

/**
 * Follows one pod until `done` returns something, and returns that. `done` gets undefined while the pod does not exist.
 */
export async function untilPod<T>(
  { namespace, clock, onTrouble }: { namespace: Namespace; clock: Clock; onTrouble: (error: Error) => void },
  name: string,
  signal: AbortSignal,
  done: (pod: Pod | undefined) => T | undefined,
): Promise<T> {
  const options = {
    api: namespace.api,
    clock,
    path: collectionPath(namespace, 'pods'),
    what: `the pod ${name}`,
    selectors: { fieldSelector: `metadata.name=${name}` },
    onTrouble,
  };
  let seen = false;
  for await (const change of reflect<Pod>(options, signal)) {
    if (change.kind === 'synced' && seen) continue;
    seen = true;
    const found = done(change.kind === 'present' ? change.object : undefined);
    if (found !== undefined) return found;
  }
  signal.throwIfAborted();
  throw new Error('unreachable: only the signal ends a watch');
}
