import { hasAnswer } from './api-error.ts';
import type { KubeApi } from './kube-api.ts';
import type { KubeObject } from './wire.ts';

/** The kinds of object that we make, by the last part of their path. */
export type Kind = 'pods' | 'services' | 'persistentvolumeclaims' | 'networkpolicies' | 'secrets';

/** Requests for objects in one namespace. */
export interface Namespace {
  readonly api: KubeApi;
  readonly name: string;
}

export function collectionPath(namespace: Namespace, kind: Kind | 'events' | 'resourcequotas'): string {
  const group = kind === 'networkpolicies' ? '/apis/networking.k8s.io/v1' : '/api/v1';
  return `${group}/namespaces/${namespace.name}/${kind}`;
}

/** Creates the object, or returns the one that has its name already. */
export async function createOrGet<T extends KubeObject>(
  namespace: Namespace,
  kind: Kind,
  object: T,
  signal: AbortSignal,
): Promise<{ readonly object: T; readonly created: boolean }> {
  const name = object.metadata?.name ?? '';
  for (;;) {
    try {
      return { object: await create(namespace, kind, object, signal), created: true };
    } catch (error) {
      if (!hasAnswer(error, 'conflict')) throw error;
      const existing = await get<T>(namespace, kind, name, signal);
      if (existing) return { object: existing, created: false };
      // It went between the two requests, so it can be created.
    }
  }
}

export function create<T extends KubeObject>(
  namespace: Namespace,
  kind: Kind,
  body: T,
  signal: AbortSignal,
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const what = `create ${words(kind, body.metadata?.name)}`;
  return namespace.api.request<T>({
    method: 'POST',
    path: collectionPath(namespace, kind),
    query,
    body,
    what,
    signal,
  });
}

/** Returns undefined if there is none. */
export async function get<T>(
  namespace: Namespace,
  kind: Kind,
  name: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  const path = `${collectionPath(namespace, kind)}/${name}`;
  try {
    return await namespace.api.request<T>({ method: 'GET', path, what: `read ${words(kind, name)}`, signal });
  } catch (error) {
    if (hasAnswer(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Deletes the object. Returns what is left of it while it is being deleted, or undefined if it does not exist. */
export async function remove<T extends KubeObject>(
  namespace: Namespace,
  kind: Kind,
  name: string,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const path = `${collectionPath(namespace, kind)}/${name}`;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: graceSeconds };
  try {
    return await namespace.api.request<T>({
      method: 'DELETE',
      path,
      body,
      what: `delete ${words(kind, name)}`,
      signal,
    });
  } catch (error) {
    if (hasAnswer(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Makes a running pod ask for other amounts of CPU and memory (Kubernetes 1.33 and later). */
export async function resizePod(namespace: Namespace, name: string, patch: object, signal: AbortSignal): Promise<void> {
  const path = `${collectionPath(namespace, 'pods')}/${name}/resize`;
  await namespace.api.request({
    method: 'PATCH',
    path,
    body: patch,
    what: `make ${words('pods', name)} smaller`,
    signal,
  });
}

const SINGULAR: Readonly<Record<Kind, string>> = {
  pods: 'pod',
  services: 'service',
  persistentvolumeclaims: 'persistent volume claim',
  networkpolicies: 'network policy',
  secrets: 'secret',
};

function words(kind: Kind, name: string | undefined): string {
  return `the ${SINGULAR[kind]} ${name}`;
}
