import { assertNever } from '@seaplane/config';
import { type Clock, type SandboxEvent, WakeQueue } from '@seaplane/orchestrator';
import { collectionPath, type Namespace } from './api/objects.ts';
import { type Change, reflect } from './api/reflector.ts';
import type { KubeEvent, Pod } from './api/wire.ts';
import { KEY, ownSelector } from './pod/labels.ts';
import { readPod } from './pod/pod-status.ts';
import type { QuotaWatch } from './quota-watch.ts';
import { steadyTime } from './steady-time.ts';
import type { Target } from './target.ts';

export interface SandboxEventsOptions {
  readonly target: Target;
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly onTrouble: (error: Error) => void;
  /** Called with every change of a pod, also of pods that are not sandboxes, before its events are yielded. */
  readonly onPod: (change: Change<Pod>) => void;
  /** Reports that a quota may have room again. */
  readonly quotas: Pick<QuotaWatch, 'onRoom'>;
}

type Input =
  | { readonly kind: 'pod'; readonly change: Change<Pod> }
  | { readonly kind: 'warning'; readonly change: Change<KubeEvent> }
  | { readonly kind: 'revisit'; readonly uid: string }
  | { readonly kind: 'room' };

/** A pod that is a sandbox, with what has been reported of it. */
interface Followed {
  pod: Pod;
  state: string;
  readonly reported: Set<string>;
  revisitAt?: number;
}

/** Yields every sandbox of a target, then each change, from its pods and the warnings about them. */
export async function* sandboxEvents(options: SandboxEventsOptions, outer: AbortSignal): AsyncGenerator<SandboxEvent> {
  const own = new AbortController();
  const signal = AbortSignal.any([outer, own.signal]);
  const queue = new WakeQueue<Input>();
  const sources = [
    pump(podChanges(options, signal), (change) => queue.push({ kind: 'pod', change })),
    pump(warningChanges(options, signal), (change) => queue.push({ kind: 'warning', change })),
  ];
  const unsubscribe = options.quotas.onRoom(() => queue.push({ kind: 'room' }));
  try {
    const reader = new Reader(options, (uid, ms) => {
      options.clock.sleep(ms, signal).then(
        () => queue.push({ kind: 'revisit', uid }),
        () => {},
      );
    });
    for await (const input of queue.drain(signal)) yield* reader.read(input);
  } finally {
    unsubscribe();
    own.abort();
    await Promise.all(sources);
  }
}

async function pump<T>(changes: AsyncIterable<Change<T>>, push: (change: Change<T>) => void): Promise<void> {
  for await (const change of changes) push(change);
}

function podChanges({ target, namespace, clock, onTrouble }: SandboxEventsOptions, signal: AbortSignal) {
  const selectors = { labelSelector: ownSelector(target) };
  const path = collectionPath(namespace, 'pods');
  return reflect<Pod>({ api: namespace.api, clock, path, what: 'its pods', selectors, onTrouble }, signal);
}

/** Warnings only: a pod that starts well has seven other events. */
function warningChanges({ namespace, clock, onTrouble }: SandboxEventsOptions, signal: AbortSignal) {
  const selectors = { fieldSelector: 'involvedObject.kind=Pod,type=Warning' };
  const path = collectionPath(namespace, 'events');
  return reflect<KubeEvent>({ api: namespace.api, clock, path, what: 'events', selectors, onTrouble }, signal);
}

/** Turns changes of objects into changes of sandboxes. Yields each state once, and each notice once for each pod. */
class Reader {
  readonly #options: SandboxEventsOptions;
  readonly #revisit: (uid: string, ms: number) => void;
  readonly #now: () => number;
  readonly #followed = new Map<string, Followed>();
  readonly #warnings = new Map<string, KubeEvent[]>();

  constructor(options: SandboxEventsOptions, revisit: (uid: string, ms: number) => void) {
    this.#options = options;
    this.#revisit = revisit;
    this.#now = steadyTime(options.clock);
  }

  *read(input: Input): Generator<SandboxEvent> {
    switch (input.kind) {
      case 'revisit':
        return yield* this.#readAgain(input.uid);
      case 'warning':
        return yield* this.#readWarning(input.change);
      case 'pod':
        return yield* this.#readPod(input.change);
      case 'room':
        return yield { kind: 'room' };
      default:
        return assertNever(input);
    }
  }

  *#readPod(change: Change<Pod>): Generator<SandboxEvent> {
    this.#options.onPod(change);
    if (change.kind === 'synced') return yield { kind: 'synced' };
    const handle = handleOf(change.object);
    if (handle === undefined) return;
    const uid = change.object.metadata?.uid ?? '';
    if (change.kind === 'absent') {
      this.#followed.delete(uid);
      return yield { kind: 'state', handle, state: { phase: 'gone' } };
    }
    const known = this.#followed.get(uid);
    if (known) known.pod = change.object;
    else this.#followed.set(uid, { pod: change.object, state: '', reported: new Set() });
    yield* this.#report(uid);
  }

  *#readWarning(change: Change<KubeEvent>): Generator<SandboxEvent> {
    if (change.kind === 'synced') return;
    const uid = change.object.involvedObject.uid ?? '';
    const others = (this.#warnings.get(uid) ?? []).filter(
      ({ metadata }) => metadata.uid !== change.object.metadata.uid,
    );
    if (change.kind === 'present') others.push(change.object);
    if (others.length > 0) this.#warnings.set(uid, others);
    else this.#warnings.delete(uid);
    if (change.kind === 'present') yield* this.#report(uid);
  }

  /** If the clock was a moment early, the pod is read again. */
  *#readAgain(uid: string): Generator<SandboxEvent> {
    const followed = this.#followed.get(uid);
    if (followed) delete followed.revisitAt;
    yield* this.#report(uid);
  }

  *#report(uid: string): Generator<SandboxEvent> {
    const followed = this.#followed.get(uid);
    if (!followed) return;
    const { target } = this.#options;
    const now = this.#now();
    const warnings = this.#warnings.get(uid) ?? [];
    const { state, notices, revisitAt } = readPod(followed.pod, warnings, now, target.waitForRoomMs);
    const handle = handleOf(followed.pod) ?? '';
    for (const { key, text } of notices) {
      if (!followed.reported.has(key)) yield { kind: 'notice', handle, text };
      followed.reported.add(key);
    }
    const written = JSON.stringify(state);
    if (written !== followed.state) yield { kind: 'state', handle, state };
    followed.state = written;
    if (revisitAt !== undefined && revisitAt !== followed.revisitAt) {
      followed.revisitAt = revisitAt;
      this.#revisit(uid, Math.max(0, revisitAt - now));
    }
  }
}

/** Undefined for a pod that is not a sandbox. */
export function handleOf({ metadata }: Pod): string | undefined {
  return metadata?.labels?.[KEY.component] === 'step' ? metadata.annotations?.[KEY.handle] : undefined;
}
