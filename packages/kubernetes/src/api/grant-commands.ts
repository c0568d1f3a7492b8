import type { KubeApi } from './kube-api.ts';

const ROLE_FILE = 'deploy/kubernetes/target-role.yaml';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** The commands by which an administrator of the cluster grants the Role in a namespace to an account. */
export function grantCommands(namespace: string, account: string | undefined): string {
  return (
    `kubectl -n ${namespace} apply -f ${ROLE_FILE} && ` +
    `kubectl -n ${namespace} create rolebinding seaplane --role=seaplane-target ${subjectFlag(account)}`
  );
}

/** The name that the cluster knows our credentials by. Undefined if it does not say: clusters before 1.28 do not. */
export async function ownAccount(api: KubeApi, signal: AbortSignal): Promise<string | undefined> {
  const answer = await api
    .request<{ status?: { userInfo?: { username?: string } } }>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      what: 'ask who it is',
      signal,
    })
    .catch(() => undefined);
  return answer?.status?.userInfo?.username || undefined;
}

function subjectFlag(account: string | undefined): string {
  if (account === undefined) return '--user=USER';
  if (account.startsWith(SERVICE_ACCOUNT)) return `--serviceaccount=${account.slice(SERVICE_ACCOUNT.length)}`;
  return /^[\w@.:-]+$/.test(account) ? `--user=${account}` : `--user='${account.replaceAll("'", "'\\''")}'`;
}
