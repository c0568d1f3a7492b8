import type { Target } from '../target.ts';
import type { KubeApi } from './kube-api.ts';

/** The first release of Kubernetes that has them switched on by default. */
const SINCE_MINOR = 33;

/** Whether pods get user namespaces: as the target says, or by the cluster's version. */
export async function hasUserNamespaces(api: KubeApi, target: Target, signal: AbortSignal): Promise<boolean> {
  if (target.userNamespaces !== 'auto') return target.userNamespaces === 'on';
  const request = { method: 'GET', path: '/version', what: 'ask for its version', signal } as const;
  const { major, minor } = await api.request<{ major: string; minor: string }>(request);
  return Number(major) > 1 || Number.parseInt(minor, 10) >= SINCE_MINOR; // minor may be `30+`
}
