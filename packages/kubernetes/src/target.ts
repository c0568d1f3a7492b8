import type { StoreLimits } from '@seaplane/baggageclaim';
import { parseDuration } from '@seaplane/config';
import { type ConfigReader, count, flag, oneOf, text, wrong } from '@seaplane/orchestrator';
import { type PodFields, parsePodFields, quantity } from './pod/pod-fields.ts';
import { parseQuantity } from './pod/quantity.ts';

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
  /** Who pulls the images of steps and types that are in registries: nodes themselves, or a get, which puts them into the store. */
  readonly registryImages: 'nodes' | 'store';
  readonly allowPrivileged: boolean;
  /** Whether steps have the capability NET_RAW, as they have in Concourse. `ping` of a few images needs it. */
  readonly allowRawSockets: boolean;
  /** The ConfigMap whose files are `/etc/ssl/certs` of checks, gets and puts, over those of their images, and of the store. */
  readonly certificates?: string;
  /** `auto`: where the cluster's version has them switched on by default. */
  readonly userNamespaces: 'auto' | 'on' | 'off';
  readonly store: StoreConfig;
  readonly storeLimits: Omit<StoreLimits, 'team'>;
  /** How long a step waits for a node or for quota before it errors. In milliseconds. */
  readonly waitForRoomMs: number;
  /** How many pods of builds that have ended are kept for `fly intercept`. */
  readonly keptPods: number;
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
  /** On the node's disk, for as long as the store's pod lives. Above `sizeLimit` the kubelet evicts the pod. */
  | { readonly kind: 'ephemeral'; readonly sizeLimit: string }
  | { readonly kind: 'volume'; readonly size: string; readonly storageClass?: string };

const DEFAULT_SIZE_LIMIT = '50Gi';
const DEFAULT_ARTIFACT_LIMIT = '20Gi';
/** Of what the store may hold: one team cannot fill it. */
const DEFAULT_TEAM_SHARE = 0.75;

/** A cluster that adds nodes takes minutes, and one that is full overnight is not an error yet. */
const WAIT_FOR_ROOM_MS = 24 * 3_600_000;
/** Each holds next to nothing, but a node takes only so many pods: 110 by default. */
const KEPT_PODS = 30;

/** Reads the fields that only a Kubernetes worker has. */
export function parseTargetConfig(entry: ConfigReader): TargetConfig {
  const certificates = entry.optional('certificates', text);
  return {
    ...(certificates ? { certificates } : {}),
    cluster: parseCluster(entry),
    namespace: entry.required('namespace', dnsLabel),
    baggageclaimImage: entry.section('images').required('baggageclaim', text),
    registryImages: entry.section('images').optional('registryImages', oneOf('nodes', 'store')) ?? 'nodes',
    allowPrivileged: entry.optional('allowPrivileged', flag) ?? false,
    allowRawSockets: entry.optional('allowRawSockets', flag) ?? false,
    userNamespaces: entry.optional('userNamespaces', oneOf('auto', 'on', 'off')) ?? 'auto',
    ...parseStore(entry.section('store')),
    waitForRoomMs: entry.optional('waitForRoom', duration) ?? WAIT_FOR_ROOM_MS,
    keptPods: entry.optional('keptPods', count) ?? KEPT_PODS,
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

function parseStore(reader: ConfigReader): Pick<TargetConfig, 'store' | 'storeLimits'> {
  const size = reader.optional('size', quantity);
  const storageClass = reader.optional('storageClass', text);
  const sizeLimit = reader.optional('sizeLimit', quantity);
  if (!size && storageClass)
    throw wrong('target.store.storageClass', 'needs target.store.size beside it', storageClass);
  if (size && sizeLimit) throw wrong('target.store.sizeLimit', 'is for a store without target.store.size', sizeLimit);
  const store: StoreConfig = size
    ? { kind: 'volume', size, ...(storageClass ? { storageClass } : {}) }
    : { kind: 'ephemeral', sizeLimit: sizeLimit ?? DEFAULT_SIZE_LIMIT };
  const all = bytesOf(size ?? sizeLimit ?? DEFAULT_SIZE_LIMIT);
  const teamLimit = reader.optional('teamLimit', quantity);
  const artifactLimit = reader.optional('artifactLimit', quantity);
  return {
    store,
    storeLimits: {
      artifactBytes: bytesOf(artifactLimit ?? DEFAULT_ARTIFACT_LIMIT),
      teamBytes: teamLimit ? bytesOf(teamLimit) : Math.floor(all * DEFAULT_TEAM_SHARE),
    },
  };
}

function bytesOf(text: string): number {
  return Math.floor(parseQuantity(text) ?? 0);
}

function duration(where: string, value: unknown): number {
  const written = text(where, value);
  try {
    return parseDuration(written);
  } catch {
    throw wrong(where, 'must be a duration such as 90m or 12h', value);
  }
}

function dnsLabel(where: string, value: unknown): string {
  const label = text(where, value);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label)) {
    throw wrong(where, 'must be lower case letters, digits and dashes', value);
  }
  return label;
}
