import { imageRef } from '@seaplane/dev-images';
import { waitFor } from '../host/daemons.ts';
import type { Layout } from '../layout.ts';
import { type AdminApi, ApiError } from './api.ts';

const NAME = 'seaplane-up-check';
const PODS = '/api/v1/namespaces/default/pods';

interface Pod {
  readonly status: { readonly phase?: string; readonly message?: string };
}

/** A node may say it is ready and still run nothing: `up` is done when a pod has run to its end. */
export async function runCheckPod(layout: Layout, api: AdminApi): Promise<void> {
  await remove(layout, api);
  await api.post(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      dnsPolicy: 'Default',
      containers: [{ name: 'main', image: imageRef('busybox'), imagePullPolicy: 'Never', command: ['true'] }],
    },
  });
  await waitFor(layout, 'kubelet', 'pod that ran to its end', async () => {
    const { status } = await api.get<Pod>(`${PODS}/${NAME}`);
    return status.phase === 'Succeeded';
  });
  await remove(layout, api);
}

async function remove(layout: Layout, api: AdminApi): Promise<void> {
  const gone = (error: unknown) => error instanceof ApiError && error.status === 404;
  await api.delete(`${PODS}/${NAME}`, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
    if (!gone(error)) throw error;
  });
  await waitFor(layout, 'kubelet', 'end of the check pod', () => api.get(`${PODS}/${NAME}`).then(() => false, gone));
}
