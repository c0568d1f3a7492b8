import { ConfigReader, flag, listOf, mapOf, oneOf, text, wrong } from './config-reader.ts';
import { type PodFields, parsePodFields } from './pod/pod-fields.ts';

/** A place that runs steps: a namespace of a cluster. To users it is a Concourse worker. */
export interface Target {
  readonly name: string;
  readonly cluster: ClusterLocation;
  readonly namespace: string;
  /** Runs only this team's steps. */
  readonly team?: string;
  readonly tags: readonly string[];
  readonly images: TargetImages;
  readonly allowPrivileged: boolean;
  /** `auto`: where the cluster's version has them switched on by default. */
  readonly userNamespaces: 'auto' | 'on' | 'off';
  readonly store: StoreConfig;
  /** Over our own defaults, under what a step says. */
  readonly template: PodFields;
  /** Over everything: no pipeline changes these. */
  readonly locked: PodFields;
}

export type ClusterLocation =
  /** The service account of the pod that web itself runs in. */
  { readonly kind: 'in-cluster' } | { readonly kind: 'kubeconfig'; readonly path: string; readonly context?: string };

export interface TargetImages {
  readonly baggageclaim: string;
  /** Base resource types by name. */
  readonly baseTypes: Readonly<Record<string, BaseTypeImage>>;
}

export interface BaseTypeImage {
  readonly image: string;
  readonly privileged: boolean;
}

/** Where the target's store keeps artifacts. */
export type StoreConfig =
  /** On the node's disk, for as long as the store's pod lives. */
  { readonly kind: 'ephemeral' } | { readonly kind: 'volume'; readonly size: string; readonly storageClass?: string };

/** Parses and validates a target, as it was written in JSON or YAML. */
export function parseTarget(value: unknown): Target {
  const reader = new ConfigReader('target', value);
  const name = reader.required('name', text);
  const team = reader.optional('team', text);
  const target = {
    name,
    cluster: parseCluster(reader),
    namespace: reader.required('namespace', dnsLabel),
    ...(team ? { team } : {}),
    tags: reader.optional('tags', listOf(text)) ?? [],
    images: reader.required('images', parseImages),
    allowPrivileged: reader.optional('allowPrivileged', flag) ?? false,
    userNamespaces: reader.optional('userNamespaces', oneOf('auto', 'on', 'off')) ?? 'auto',
    store: reader.optional('store', parseStore) ?? { kind: 'ephemeral' as const },
    template: reader.optional('template', parsePodFields) ?? {},
    locked: reader.optional('locked', parsePodFields) ?? {},
  };
  reader.end();
  return target;
}

function parseCluster(reader: ConfigReader): ClusterLocation {
  const path = reader.optional('kubeconfig', text);
  const context = reader.optional('context', text);
  if (path) return { kind: 'kubeconfig', path, ...(context ? { context } : {}) };
  if (context) throw wrong('target.context', 'needs target.kubeconfig beside it', context);
  return { kind: 'in-cluster' };
}

function parseImages(where: string, value: unknown): TargetImages {
  const reader = new ConfigReader(where, value);
  const images = {
    baggageclaim: reader.required('baggageclaim', text),
    baseTypes: reader.optional('baseTypes', mapOf(parseBaseType)) ?? {},
  };
  reader.end();
  return images;
}

function parseBaseType(where: string, value: unknown): BaseTypeImage {
  if (typeof value === 'string') return { image: text(where, value), privileged: false };
  const reader = new ConfigReader(where, value);
  const type = { image: reader.required('image', text), privileged: reader.optional('privileged', flag) ?? false };
  reader.end();
  return type;
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
