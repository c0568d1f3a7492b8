import { ConfigReader, listOf, mapOf, oneOf, text, wrong } from '@seaplane/orchestrator';
import type { Affinity, DnsConfig, HostAlias, Toleration } from '../api/wire.ts';
import { isOurKey } from './labels.ts';
import { parseQuantity } from './quantity.ts';

export type Quantities = Readonly<Record<string, string>>;

/** The fields of a step's pod that a layer of pod policy may set. */
export interface PodFields {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly runtimeClass?: string;
  readonly serviceAccount?: string;
  readonly priorityClass?: string;
  /** `None`: only `dnsConfig` counts. */
  readonly dnsPolicy?: 'ClusterFirst' | 'Default' | 'None';
  readonly dnsConfig?: DnsConfig;
  readonly hostAliases?: readonly HostAlias[];
  readonly imagePullSecrets?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the step's own container. */
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

/** The later layer wins: field by field, in maps key by key. Lists are replaced, never joined. */
export function mergeFields(...layers: readonly PodFields[]): PodFields {
  return layers.reduce(mergeTwo);
}

function mergeTwo(below: PodFields, above: PodFields): PodFields {
  return {
    ...below,
    ...above,
    ...mergedMap('nodeSelector', below, above),
    ...mergedMap('labels', below, above),
    ...mergedMap('annotations', below, above),
    ...mergedMap('requests', below, above),
    ...mergedMap('limits', below, above),
  };
}

type MapField = 'nodeSelector' | 'labels' | 'annotations' | 'requests' | 'limits';

function mergedMap(field: MapField, below: PodFields, above: PodFields): PodFields {
  return below[field] || above[field] ? { [field]: { ...below[field], ...above[field] } } : {};
}

export function parsePodFields(where: string, value: unknown): PodFields {
  const reader = new ConfigReader(where, value);
  const fields = {
    nodeSelector: reader.optional('nodeSelector', mapOf(text)),
    tolerations: reader.optional('tolerations', listOf(kubernetesObject<Toleration>)),
    affinity: reader.optional('affinity', kubernetesObject<Affinity>),
    runtimeClass: reader.optional('runtimeClass', text),
    serviceAccount: reader.optional('serviceAccount', text),
    priorityClass: reader.optional('priorityClass', text),
    dnsPolicy: reader.optional('dnsPolicy', oneOf('ClusterFirst', 'Default', 'None')),
    dnsConfig: reader.optional('dnsConfig', kubernetesObject<DnsConfig>),
    hostAliases: reader.optional('hostAliases', listOf(kubernetesObject<HostAlias>)),
    imagePullSecrets: reader.optional('imagePullSecrets', listOf(text)),
    labels: reader.optional('labels', metadataMap),
    annotations: reader.optional('annotations', metadataMap),
    requests: reader.optional('requests', mapOf(quantity)),
    limits: reader.optional('limits', mapOf(quantity)),
  };
  reader.end();
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined)) as PodFields;
}

function metadataMap(where: string, value: unknown): Record<string, string> {
  const map = mapOf((path, item) => (item === '' ? '' : text(path, item)))(where, value);
  const reserved = Object.keys(map).find(isOurKey);
  if (reserved) throw wrong(`${where}.${reserved}`, 'is reserved: Seaplane finds its own pods by it', map[reserved]);
  return map;
}

export function quantity(where: string, value: unknown): string {
  const asText = typeof value === 'number' ? String(value) : text(where, value);
  if (parseQuantity(asText) === undefined) throw wrong(where, 'must be a quantity such as 500m or 64Mi', value);
  return asText;
}

/** An object of the Kubernetes API. The API server itself will judge it. */
function kubernetesObject<T extends object>(where: string, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(where, 'must be an object', value);
  }
  return value as T;
}
