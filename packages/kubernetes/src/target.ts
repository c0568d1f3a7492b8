import { ConfigReader, flag, oneOf, text, wrong } from '@seaplane/orchestrator';
import { type PodFields, parsePodFields } from './pod/pod-fields.ts';

/** The place that a Kubernetes worker runs steps in: a namespace of a cluster, and what pods there look like. */
export interface Target extends TargetConfig {
  /** The worker's name. */
  readonly name: string;
  /** The id of the database that this web uses. Only objects that are labelled with it are ours. */
  readonly installation: string;
}

/** The fields of a worker's entry that only a Kubernetes worker has. */
export interface TargetConfig {
  readonly cluster: ClusterLocation;
  readonly namespace: string;
  /** The image of the sidecar and the store. */
  readonly baggageclaimImage: string;
  readonly allowPrivileged: boolean;
  /** `auto`: where the cluster's version has them switched on by default. */
  readonly userNamespaces: 'auto' | 'on' | 'off';
  readonly store: StoreConfig;
  /** Over our own defaults, under the step's own fields. */
  readonly template: PodFields;
  /** Over everything: no pipeline changes these. */
  readonly locked: PodFields;
}

export type ClusterLocation =
  /** The service account of the pod that web itself runs in. */
  { readonly kind: 'in-cluster' } | { readonly kind: 'kubeconfig'; readonly path: string; readonly context?: string };

/** Where the target's store keeps artifacts. */
export type StoreConfig =
  /** On the node's disk, for as long as the store's pod lives. */
  { readonly kind: 'ephemeral' } | { readonly kind: 'volume'; readonly size: string; readonly storageClass?: string };

/** Reads the fields that only a Kubernetes worker has. */
export function parseTargetConfig(entry: ConfigReader): TargetConfig {
  return {
    cluster: parseCluster(entry),
    namespace: entry.required('namespace', dnsLabel),
    baggageclaimImage: entry.section('images').required('baggageclaim', text),
    allowPrivileged: entry.optional('allowPrivileged', flag) ?? false,
    userNamespaces: entry.optional('userNamespaces', oneOf('auto', 'on', 'off')) ?? 'auto',
    store: entry.optional('store', parseStore) ?? { kind: 'ephemeral' as const },
    template: entry.optional('template', parsePodFields) ?? {},
    locked: entry.optional('locked', parsePodFields) ?? {},
  };
}

function parseCluster(entry: ConfigReader): ClusterLocation {
  const path = entry.optional('kubeconfig', text);
  const context = entry.optional('context', text);
  if (path) return { kind: 'kubeconfig', path, ...(context ? { context } : {}) };
  if (context) throw wrong('target.context', 'needs target.kubeconfig beside it', context);
  return { kind: 'in-cluster' };
}

function parseStore(where: string, value: unknown): StoreConfig {
  const reader = new ConfigReader(where, value);
  const size = reader.optional('size', text);
  const storageClass = reader.optional('storageClass', text);
  reader.end();
  if (size) return { kind: 'volume', size, ...(storageClass ? { storageClass } : {}) };
  if (storageClass) throw wrong(`${where}.storageClass`, `needs ${where}.size beside it`, storageClass);
  return { kind: 'ephemeral' };
}

function dnsLabel(where: string, value: unknown): string {
  const label = text(where, value);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label)) {
    throw wrong(where, 'must be lower case letters, digits and dashes', value);
  }
  return label;
}
