import type { Target } from '../target.ts';
import type { KubeApi } from './kube-api.ts';
import { PERMISSIONS, type Permission } from './role.ts';

/** Asks the cluster for each right that we need. Returns the missing ones, in words. */
export async function missingPermissions(api: KubeApi, target: Target, signal: AbortSignal): Promise<string[]> {
  const missing: [Permission, string[]][] = [];
  for (const permission of PERMISSIONS) {
    const answers = await Promise.all(
      permission.verbs.map(async (verb) => ({ verb, allowed: await mayWe(api, target, permission, verb, signal) })),
    );
    const refused = answers.filter(({ allowed }) => !allowed).map(({ verb }) => verb);
    if (refused.length > 0) missing.push([permission, refused]);
  }
  const { namespace } = target;
  const remedy = `bind the Role seaplane-target (deploy/kubernetes/target-role.yaml) in the namespace ${namespace}`;
  if (missing.length === PERMISSIONS.length) {
    return [`nothing is permitted in the namespace ${namespace}: does it exist? If so, ${remedy}`];
  }
  return missing.map(
    ([{ resource, why }, verbs]) =>
      `may not ${verbs.join(', ')} ${resource} in the namespace ${namespace}, needed ${why}: ${remedy}`,
  );
}

async function mayWe(
  api: KubeApi,
  target: Target,
  { group, resource: full }: Permission,
  verb: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource, subresource] = full.split('/');
  const resourceAttributes = {
    namespace: target.namespace,
    group,
    resource,
    ...(subresource ? { subresource } : {}),
    verb,
  };
  const answer = await api.request<{ status?: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
    what: 'ask what it may do',
    signal,
  });
  return answer.status?.allowed ?? false;
}
