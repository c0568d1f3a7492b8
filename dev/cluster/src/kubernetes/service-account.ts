import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { findInit } from '../host/namespaces.ts';
import { layoutOf, targetKubeconfigFile } from '../layout.ts';
import { AdminApi } from './api.ts';
import { writeKubeconfig } from './pki.ts';

const PUBLISHED_ROLE = join(import.meta.dirname, '../../../../deploy/kubernetes/target-role.yaml');
const ACCOUNT = 'seaplane';
const ONE_YEAR_SECONDS = 365 * 24 * 3600;

/** Throws, saying how to start it, where the cluster is not up. */
export async function requireUp(index: number): Promise<void> {
  if (await findInit(layoutOf(index))) return;
  throw new Error(`cluster ${index} is not up; start it: npm run cluster -- up --cluster ${index}`);
}

/**
 * Makes a namespace, if it is not there, with a service account that holds exactly the Role we publish to operators,
 * and returns the path of a kubeconfig for it: what Seaplane is given in real life.
 */
export async function targetKubeconfig(
  index: number,
  namespace: string,
  kubectl: string,
  progress: Progress,
): Promise<string> {
  const layout = layoutOf(index);
  await requireUp(index);
  using api = await AdminApi.open(layout);
  await api.ensure('/api/v1/namespaces', { metadata: { name: namespace } });
  await run(kubectl, ['--kubeconfig', layout.kubeconfig, '-n', namespace, 'apply', '-f', PUBLISHED_ROLE]);
  await api.ensure(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: ACCOUNT } });
  await api.ensure(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'seaplane-target' },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
  });
  const { status } = await api.post<{ status: { token: string } }>(
    `/api/v1/namespaces/${namespace}/serviceaccounts/${ACCOUNT}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: ONE_YEAR_SECONDS } },
  );
  const path = targetKubeconfigFile(layout, namespace);
  await mkdir(dirname(path), { recursive: true });
  await writeKubeconfig(layout, path, { token: status.token }, namespace);
  progress(`namespace ${namespace} has the service account ${ACCOUNT} with the published Role`);
  return path;
}
