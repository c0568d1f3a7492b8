import type { Target } from '../target.ts';
import { grantCommands, ownAccount } from './grant-commands.ts';
import type { KubeApi } from './kube-api.ts';
import { PERMISSIONS, type Permission } from './role.ts';

/** Missing rights, in words. */
export interface MissingPermissions {
  readonly needed: readonly string[];
  /** Rights without which steps run, only not as well. */
  readonly optional: readonly string[];
}

/** Asks the cluster for each right that we use. */
export async function missingPermissions(
  api: KubeApi,
  target: Target,
  signal: AbortSignal,
): Promise<MissingPermissions> {
  const missing: [Permission, string[]][] = [];
  for (const permission of PERMISSIONS) {
    const answers = await Promise.all(
      permission.verbs.map(async (verb) => ({ verb, allowed: await mayWe(api, target, permission, verb, signal) })),
    );
    const refused = answers.filter(({ allowed }) => !allowed).map(({ verb }) => verb);
    if (refused.length > 0) missing.push([permission, refused]);
  }
  const { namespace } = target;
  if (missing.length === 0) return { needed: [], optional: [] };
  const commands = grantCommands(namespace, await ownAccount(api, signal));
  if (missing.length === PERMISSIONS.length) {
    const all =
      `nothing is permitted in the namespace ${namespace}: does it exist? An administrator of the cluster types: ` +
      `kubectl create namespace ${namespace}; ${commands}`;
    return { needed: [all], optional: [] };
  }
  const remedy = `bind the Role seaplane-target; an administrator of the cluster types: ${commands}`;
  const words = ([{ resource, why }, verbs]: [Permission, string[]]) =>
    `may not ${verbs.join(', ')} ${resource} in the namespace ${namespace}, needed ${why}: ${remedy}`;
  return {
    needed: missing.filter(([{ optional }]) => !optional).map(words),
    optional: missing.filter(([{ optional }]) => optional).map(words),
  };
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
