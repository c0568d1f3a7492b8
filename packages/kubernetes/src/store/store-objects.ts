import { ADDRESS_VARIABLE, IMAGE_PORT, SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { PersistentVolumeClaim, Pod, Service } from '../api/wire.ts';
import { SIDECAR } from '../pod/containers.ts';
import { componentLabels, KEY, podName } from '../pod/labels.ts';
import { CERTIFICATES, podSpecBase } from '../pod/pod-building.ts';
import { mergeFields } from '../pod/pod-fields.ts';
import type { PodSettings } from '../pod/pod-settings.ts';
import { parseQuantity } from '../pod/quantity.ts';
import { sidecarEnvironment } from '../pod/sidecar.ts';
import type { Target } from '../target.ts';

/** Where the store keeps what it holds, in its container. */
const STORE_DIRECTORY = '/store';

/** A target's template sets the resources of steps, not these. Streams pass through: what grows has a defect. */
const RESOURCES = {
  requests: { cpu: '20m', memory: '64Mi', 'ephemeral-storage': '64Mi' },
  limits: { memory: '1Gi' },
};

/** The store refuses more before the kubelet evicts it for its size. The rest is for what is being deleted. */
const USABLE_SHARE = 0.9;

/** The kubelet fills it in. */
const POD_ADDRESS = { name: ADDRESS_VARIABLE, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

/** The store's name. It is also its handle, which a token for it must name. */
export function storeName(target: Target): string {
  return podName(`store-${target.name}`);
}

/** A single pod, because our Role does not include deployments. Web makes it again if it has gone. */
export function storePod(target: Target, settings: PodSettings): Pod {
  const fields = mergeFields({ dnsPolicy: 'ClusterFirst' }, target.template, target.locked);
  const name = storeName(target);
  const { certificates } = target;
  const revision = [target.baggageclaimImage, settings.publicKey, ...(certificates ? [certificates] : [])];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: target.namespace,
      labels: { ...fields.labels, ...componentLabels(target, 'store') },
      annotations: { ...fields.annotations, [KEY.revision]: revision.join(' ') },
    },
    spec: {
      ...podSpecBase(fields, settings.userNamespaces),
      restartPolicy: 'Always',
      containers: [
        {
          name: SIDECAR,
          image: target.baggageclaimImage,
          imagePullPolicy: 'IfNotPresent',
          args: ['store', STORE_DIRECTORY, ...capacity(target)],
          env: [...sidecarEnvironment(target, settings, name), POD_ADDRESS],
          ports: [
            { name: 'baggageclaim', containerPort: SIDECAR_PORT },
            { name: 'images', containerPort: IMAGE_PORT },
          ],
          resources: RESOURCES,
          securityContext: { allowPrivilegeEscalation: false },
          volumeMounts: [{ name: 'store', mountPath: STORE_DIRECTORY }, ...(certificates ? [CERTIFICATES] : [])],
        },
      ],
      volumes: [
        {
          name: 'store',
          ...(target.store.kind === 'volume'
            ? { persistentVolumeClaim: { claimName: name } }
            : { emptyDir: { sizeLimit: target.store.sizeLimit } }),
        },
        // Optional, because artifacts do not need them.
        ...(certificates ? [{ name: CERTIFICATES.name, configMap: { name: certificates, optional: true } }] : []),
      ],
    },
  };
}

/** The disk of a volume limits its store by itself. */
function capacity({ store }: Target): string[] {
  if (store.kind === 'volume') return [];
  return ['--capacity', String(Math.floor((parseQuantity(store.sizeLimit) ?? 0) * USABLE_SHARE))];
}

/** Gives other pods an address of the store that outlives its pod. */
export function storeService(target: Target): Service {
  return service(target, storeName(target), { ports: [{ port: SIDECAR_PORT, targetPort: SIDECAR_PORT }] });
}

/**
 * For nodes alone: they reach it at 127.0.0.1 without configuration. It is a Service of its own, so that no other port of
 * the store is open on nodes.
 */
export function storeImageService(target: Target): Service {
  return service(target, podName(`store-${target.name}-images`), {
    type: 'NodePort',
    ports: [{ port: IMAGE_PORT, targetPort: IMAGE_PORT }],
  });
}

function service(target: Target, name: string, spec: NonNullable<Service['spec']>): Service {
  const labels = componentLabels(target, 'store');
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: target.namespace, labels },
    spec: { ...spec, selector: labels },
  };
}

/** Undefined for a store on its node's disk. */
export function storeClaim(target: Target): PersistentVolumeClaim | undefined {
  if (target.store.kind !== 'volume') return undefined;
  const { size, storageClass } = target.store;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: storeName(target),
      namespace: target.namespace,
      labels: componentLabels(target, 'store'),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClass ? { storageClassName: storageClass } : {}),
    },
  };
}
