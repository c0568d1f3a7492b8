import { SUPERVISOR_PATH } from '@seaplane/baggageclaim';
import type { SandboxSpec } from '@seaplane/orchestrator';
import { HostError } from '@seaplane/orchestrator';
import type { Container, Pod, VolumeMount } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { MAIN } from './containers.ts';
import { componentLabels, DEFAULT_CONTAINER, KEY, podName, sandboxMetadata } from './labels.ts';
import { mainImage } from './main-image.ts';
import { mergeFields, type PodFields, type Quantities } from './pod-fields.ts';
import { roomAnnotation } from './pod-room.ts';
import type { PodSettings } from './pod-settings.ts';
import { parseQuantity } from './quantity.ts';
import { sidecarContainer } from './sidecar.ts';
import { CONTROL_VOLUMES, mainMounts } from './step-mounts.ts';

/** How long a process may run on after its node asks the pod to end. Our own deletions do not wait that long. */
const GRACE_SECONDS = 10;

/** Small, but never absent: the scheduler counts only requests. */
const DEFAULTS: PodFields = {
  dnsPolicy: 'ClusterFirst',
  requests: { cpu: '10m', memory: '32Mi', 'ephemeral-storage': '32Mi' },
};

/**
 * Containers get no groups of their image: the supervisor sets those of each process. To read them, containerd would mount the
 * image of each container in a user namespace, and fork its own process for that. A runtime that has user namespaces knows this.
 */
const OWN_GROUPS = 'Strict';

/**
 * Lets processes of these groups send echo requests without raw sockets, as `ping` does if it has none. The kernel refuses
 * a range that goes beyond the groups of a user namespace.
 */
const PING = { name: 'net.ipv4.ping_group_range', value: '0 65535' };

/** Where Debian, Alpine and most other images, and Go's and OpenSSL's defaults, have the certificates they trust. */
export const CERTIFICATES = { name: 'certificates', mountPath: '/etc/ssl/certs', readOnly: true } as const;

/** Builds the pod of a step. Does no I/O. Layers, the last one wins: defaults, template, step, locked fields. */
export function buildStepPod(target: Target, settings: PodSettings, spec: SandboxSpec): Pod {
  if (spec.privileged && !target.allowPrivileged) throw privilegedRefused(target, spec);
  const fields = mergeFields(DEFAULTS, target.template, stepFields(spec), target.locked);
  const { labels, annotations } = sandboxMetadata(spec.handle, spec.labels);
  const room = roomAnnotation(resourcesOf(fields).requests);
  const base = podSpecBase(fields, settings.userNamespaces && !spec.privileged);
  const certificates = spec.labels.type === 'task' ? undefined : target.certificates;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(spec.handle),
      namespace: target.namespace,
      labels: {
        ...fields.labels,
        ...labels,
        ...componentLabels(target, 'step'),
        ...(spec.hermetic ? { [KEY.hermetic]: 'true' } : {}),
      },
      annotations: {
        ...fields.annotations,
        ...annotations,
        ...(room === undefined ? {} : { [KEY.room]: room }),
        [DEFAULT_CONTAINER]: MAIN,
      },
    },
    spec: {
      ...base,
      securityContext: { ...base.securityContext, sysctls: [PING] },
      initContainers: [sidecarContainer(target, settings, spec)],
      containers: [
        mainContainer(target, spec, fields, [...mainMounts(spec.mounts), ...(certificates ? [CERTIFICATES] : [])]),
      ],
      volumes: [
        ...CONTROL_VOLUMES.map((name) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } })),
        { name: 'work', emptyDir: {} },
        ...(certificates ? [{ name: CERTIFICATES.name, configMap: { name: certificates } }] : []),
      ],
    },
  };
}

/** Fields of every pod of ours, the store's too: no token, no privilege, no variables of the namespace's services. */
export function podSpecBase(fields: PodFields, userNamespace: boolean): Omit<NonNullable<Pod['spec']>, 'containers'> {
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(userNamespace ? { hostUsers: false } : {}),
    securityContext: {
      runAsUser: 0,
      runAsGroup: 0,
      seccompProfile: { type: 'RuntimeDefault' },
      ...(userNamespace ? { supplementalGroupsPolicy: OWN_GROUPS } : {}),
    },
    ...(fields.dnsPolicy ? { dnsPolicy: fields.dnsPolicy } : {}),
    ...(fields.dnsConfig ? { dnsConfig: fields.dnsConfig } : {}),
    ...(fields.hostAliases ? { hostAliases: [...fields.hostAliases] } : {}),
    ...(fields.nodeSelector ? { nodeSelector: fields.nodeSelector } : {}),
    ...(fields.tolerations ? { tolerations: [...fields.tolerations] } : {}),
    ...(fields.affinity ? { affinity: fields.affinity } : {}),
    ...(fields.runtimeClass ? { runtimeClassName: fields.runtimeClass } : {}),
    ...(fields.serviceAccount ? { serviceAccountName: fields.serviceAccount } : {}),
    ...(fields.priorityClass ? { priorityClassName: fields.priorityClass } : {}),
    ...(fields.imagePullSecrets ? { imagePullSecrets: fields.imagePullSecrets.map((name) => ({ name })) } : {}),
  };
}

/** With raw sockets, a step can answer for the address of a neighbour on the node's network, by ARP for example. */
function capabilitiesOf({ allowRawSockets }: Target): Container['securityContext'] {
  return allowRawSockets ? {} : { capabilities: { drop: ['NET_RAW'] } };
}

function mainContainer(target: Target, spec: SandboxSpec, fields: PodFields, volumeMounts: VolumeMount[]): Container {
  return {
    name: MAIN,
    ...mainImage(target, spec.image),
    // Artifact images have a digest, and a moving tag was resolved before.
    imagePullPolicy: 'IfNotPresent',
    command: [SUPERVISOR_PATH],
    workingDir: '/',
    resources: resourcesOf(fields),
    securityContext: spec.privileged
      ? { privileged: true }
      : { allowPrivilegeEscalation: false, ...capabilitiesOf(target) },
    volumeMounts,
  };
}

/** CPU shares are a weight, 1024 to a core, and so is a request. Memory is a hard limit. */
function stepFields({ limits }: SandboxSpec): PodFields {
  const { cpu = 0, memory = 0 } = limits ?? {};
  return {
    requests: {
      ...(cpu > 0 ? { cpu: `${Math.max(1, Math.round((cpu * 1000) / 1024))}m` } : {}),
      ...(memory > 0 ? { memory: String(Math.ceil(memory)) } : {}),
    },
    ...(memory > 0 ? { limits: { memory: String(Math.ceil(memory)) } } : {}),
  };
}

/** Caps each request at its limit: two layers together can make a request exceed it. */
function resourcesOf({ requests = {}, limits }: PodFields): NonNullable<Container['resources']> {
  const capped: Quantities = Object.fromEntries(
    Object.entries(requests).map(([name, asked]) => {
      const limit = limits?.[name];
      return [name, limit !== undefined && exceeds(asked, limit) ? limit : asked];
    }),
  );
  return { requests: capped, ...(limits ? { limits: { ...limits } } : {}) };
}

function exceeds(a: string, b: string): boolean {
  return (parseQuantity(a) ?? 0) > (parseQuantity(b) ?? 0);
}

function privilegedRefused(target: Target, { labels }: SandboxSpec): HostError {
  return new HostError(
    'privileged',
    `the step ${labels.step} asks to run privileged, and worker ${target.name} does not allow that: ` +
      `remove 'privileged: true' from the step or resource type, or have the operator set allowPrivileged on the target`,
  );
}
