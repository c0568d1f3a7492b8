import { AUTHORITY_VARIABLE } from '@seaplane/baggageclaim';
import type { Container, Secret } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { ownerLabels, podName } from './labels.ts';

const FIELD = 'key';

/**
 * The key with which sidecars and the store make their certificates, so that web and other pods know who answers. It is one
 * Secret for the target and web's key, not one for each pod. Pods refer to it, and nobody reads it back.
 */
export function authoritySecret(target: Target, publicKey: string, authorityKey: string): Secret {
  const labels = ownerLabels(target);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName(target, publicKey), namespace: target.namespace, labels },
    type: 'Opaque',
    immutable: true,
    stringData: { [FIELD]: authorityKey },
  };
}

/** The sidecar's reference to it. The step's own container has none. */
export function authorityVariable(target: Target, publicKey: string): NonNullable<Container['env']>[number] {
  const secretKeyRef = { name: secretName(target, publicKey), key: FIELD };
  return { name: AUTHORITY_VARIABLE, valueFrom: { secretKeyRef } };
}

/** A web with another key, or of another installation, has another Secret. */
export function secretName({ name, installation }: Target, publicKey: string): string {
  return podName(`authority ${name} ${installation} ${publicKey}`);
}
