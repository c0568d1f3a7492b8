import type {
  CoreV1Event,
  V1Affinity,
  V1Container,
  V1ContainerStatus,
  V1HostAlias,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDNSConfig,
  V1ResourceQuota,
  V1Secret,
  V1Service,
  V1Toleration,
  V1VolumeMount,
} from '@kubernetes/client-node';

/** A Kubernetes object as JSON: the client's own types, with times as strings. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

export type Pod = Wire<V1Pod>;
export type Container = Wire<V1Container>;
export type ContainerStatus = Wire<V1ContainerStatus>;
export type VolumeMount = Wire<V1VolumeMount>;
export type Toleration = Wire<V1Toleration>;
export type Affinity = Wire<V1Affinity>;
export type DnsConfig = Wire<V1PodDNSConfig>;
export type HostAlias = Wire<V1HostAlias>;
export type Service = Wire<V1Service>;
export type PersistentVolumeClaim = Wire<V1PersistentVolumeClaim>;
export type Secret = Wire<V1Secret>;
export type NetworkPolicy = Wire<V1NetworkPolicy>;
export type ResourceQuota = Wire<V1ResourceQuota>;
export type KubeEvent = Wire<CoreV1Event>;

export interface KubeObject {
  readonly kind?: string;
  readonly metadata?: Wire<V1ObjectMeta>;
}

/** The body of an API server's refusal. */
export interface StatusBody {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly kind?: string;
    readonly name?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}
