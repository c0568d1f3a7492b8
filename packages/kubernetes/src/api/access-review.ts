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

/**
 * Asks the cluster which of the rights that we use are missing. One request gets all rules; a cluster that can't list them
 * (its authorizer is a webhook) is asked for each right that the rules do not grant.
 */
export async function missingPermissions(
  api: KubeApi,
  target: Target,
  signal: AbortSignal,
): Promise<MissingPermissions> {
  const { rules, complete } = await ownRules(api, target, signal);
  const missing: [Permission, string[]][] = [];
  for (const permission of PERMISSIONS) {
    const answers = await Promise.all(
      permission.verbs.map(async (verb) => ({
        verb,
        allowed: grants(rules, permission, verb) || (!complete && (await mayWe(api, target, permission, verb, signal))),
      })),
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

/** A rule of a Role that binds us. `*` stands for all. */
interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** The rule is for objects of these names alone. */
  readonly resourceNames?: readonly string[];
}

async function ownRules(
  api: KubeApi,
  { namespace }: Target,
  signal: AbortSignal,
): Promise<{ readonly rules: readonly Rule[]; readonly complete: boolean }> {
  const { status } = await api.request<{ status?: { resourceRules?: readonly Rule[]; incomplete?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
    what: 'ask what it may do',
    signal,
  });
  return { rules: status?.resourceRules ?? [], complete: status?.incomplete === false };
}

function grants(rules: readonly Rule[], { group, resource }: Permission, verb: string): boolean {
  const has = (list: readonly string[] = [], ...names: readonly string[]) => list.some((item) => names.includes(item));
  const [, subresource] = resource.split('/');
  const resources = [resource, '*', ...(subresource ? [`*/${subresource}`] : [])];
  return rules.some(
    ({ verbs, apiGroups, resources: granted, resourceNames = [] }) =>
      resourceNames.length === 0 && has(verbs, verb, '*') && has(apiGroups, group, '*') && has(granted, ...resources),
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
