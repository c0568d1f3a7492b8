import type { Clock } from '@seaplane/orchestrator';
import { HostError } from '@seaplane/orchestrator';
import { ApiError, hasAnswer } from './api-error.ts';
import { backoffMs } from './backoff.ts';
import type { KubeApi } from './kube-api.ts';
import type { KubeObject, StatusBody } from './wire.ts';

export type Change<T> =
  /** The object is new or has changed. */
  | { readonly kind: 'present'; readonly object: T }
  | { readonly kind: 'absent'; readonly object: T }
  /** Every object there is has been yielded. Comes once. */
  | { readonly kind: 'synced' };

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** `/api/v1/namespaces/NS/pods` */
  readonly path: string;
  /** The watched objects, in words. */
  readonly what: string;
  readonly selectors: Readonly<Record<string, string>>;
  /** Called with every failure, before the next try. */
  readonly onTrouble: (error: Error) => void;
}

const PAGE_SIZE = '500';
/**
 * The server ends a watch after this long, and we end it a little later: while a watch is dead and nobody notices, steps
 * wait. A new watch costs one request.
 */
const WATCH_SECONDS = 60;
const WATCH_OVERTIME_SECONDS = 15;
/** After so many failures in a row the version may be wrong: the cluster may have been restored or replaced. */
const PATIENCE_WITH_VERSION = 5;
/** A watch that ends sooner, without an event, is a failure: otherwise a server that cuts each watch is asked non-stop. */
const SHORTEST_WATCH_MS = 1_000;

/**
 * Yields every object, then each change, until the signal. It lists, watches on from there with bookmarks, resumes a broken
 * watch at its last version, and lists again only if the server can't continue from that version. The first list's objects
 * come before `synced`; an object that a later list does not have is yielded as absent. Failures are retried for ever,
 * each time after a longer wait.
 *
 * States: no `version` (must list), or a version to watch from. 410 moves back to the first, and so do many failures.
 */
export async function* reflect<T extends KubeObject>(
  options: ReflectorOptions,
  signal: AbortSignal,
): AsyncGenerator<Change<T>> {
  const known = new Map<string, T>();
  let version: string | undefined;
  let synced = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const listed = await listAll<T>(options, signal);
        yield* difference(known, listed.objects);
        version = listed.version;
        if (!synced) yield { kind: 'synced' };
        synced = true;
      }
      const started = options.clock.elapsedMs();
      let heard = false;
      for await (const event of watchFrom<T>(options, version, signal)) {
        heard = true;
        failures = 0;
        version = event.object.metadata?.resourceVersion ?? version;
        const change = apply(known, event);
        if (change) yield change;
      }
      if (!heard && options.clock.elapsedMs() - started < SHORTEST_WATCH_MS) {
        throw new HostError('overloaded', `could not watch ${options.what}: the server ended the watch at once`);
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const expired = hasAnswer(error, 'expired');
      failures++;
      if (expired || failures % PATIENCE_WITH_VERSION === 0) version = undefined;
      options.onTrouble(error as Error);
      // To fall behind once is ordinary; waiting would make the reflector fall behind further.
      if (!expired || failures > 1) await options.clock.sleep(backoffMs(failures), signal).catch(() => {});
    }
  }
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

async function* watchFrom<T extends KubeObject>(
  { api, path, what, selectors }: ReflectorOptions,
  version: string,
  outer: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const query = {
    ...selectors,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: version,
    timeoutSeconds: String(WATCH_SECONDS),
  };
  const limit = AbortSignal.timeout((WATCH_SECONDS + WATCH_OVERTIME_SECONDS) * 1000);
  const signal = AbortSignal.any([outer, limit]);
  try {
    for await (const line of api.lines({ method: 'GET', path, query, what: `watch ${what}`, signal })) {
      const event = line as WatchEvent<T>;
      if (event.type === 'ERROR') throw watchError(what, event.object as StatusBody);
      yield event;
    }
  } catch (error) {
    if (error !== limit.reason) throw error;
    throw new HostError('unreachable', `could not watch ${what} any longer: the server has fallen silent`);
  }
}

function watchError(what: string, status: StatusBody): HostError {
  const message = `could not watch ${what} any longer: ${status.message ?? status.code}`;
  return status.code === 410 ? new ApiError('expired', message) : new HostError('overloaded', message);
}

interface List<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: T[];
}

export type ListOptions = Pick<ReflectorOptions, 'api' | 'path' | 'what' | 'selectors'>;

/** Lists all objects, in pages, with the version to watch on from. */
export async function listAll<T>({ api, path, what, selectors }: ListOptions, signal: AbortSignal) {
  const objects: T[] = [];
  let next = '';
  for (;;) {
    const query = { ...selectors, limit: PAGE_SIZE, ...(next ? { continue: next } : {}) };
    const page = await api.request<List<T>>({ method: 'GET', path, query, what: `list ${what}`, signal });
    objects.push(...page.items);
    next = page.metadata.continue ?? '';
    if (!next) return { objects, version: page.metadata.resourceVersion };
  }
}

function* difference<T extends KubeObject>(known: Map<string, T>, listed: readonly T[]): Generator<Change<T>> {
  const present = new Map(listed.map((object) => [uidOf(object), object]));
  for (const [uid, object] of known) {
    if (present.has(uid)) continue;
    known.delete(uid);
    yield { kind: 'absent', object };
  }
  for (const [uid, object] of present) {
    if (known.get(uid)?.metadata?.resourceVersion === object.metadata?.resourceVersion) continue;
    remember(known, object);
    yield { kind: 'present', object };
  }
}

function apply<T extends KubeObject>(known: Map<string, T>, { type, object }: WatchEvent<T>): Change<T> | undefined {
  if (type === 'BOOKMARK' || type === 'ERROR') return undefined;
  if (type === 'DELETED') {
    known.delete(uidOf(object));
    return { kind: 'absent', object };
  }
  remember(known, object);
  return { kind: 'present', object };
}

/** Drops the record of who set which field: it is a third of a pod and has no use here. */
function remember<T extends KubeObject>(known: Map<string, T>, object: T): void {
  if (object.metadata) delete object.metadata.managedFields;
  known.set(uidOf(object), object);
}

/** A name can be used again; a uid can't. */
function uidOf(object: KubeObject): string {
  return object.metadata?.uid ?? '';
}
