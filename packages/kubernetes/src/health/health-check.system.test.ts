import { readFile, writeFile } from 'node:fs/promises';
import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesHost } from '../kubernetes-host.ts';
import type { Target } from '../target.ts';
import { openTestHost } from '../testing/test-host.ts';
import { openTestTarget, type TestTarget } from '../testing/test-target.ts';

const soon = () => AbortSignal.timeout(60_000);
const WELL = { usable: true, problems: [], way: 'direct' };

interface Kubeconfig {
  readonly clusters: { cluster: Record<string, unknown> }[];
  readonly users: { user: { token: string } }[];
}

describe.skipIf(whyNoTestCluster())('the health check on a real cluster', () => {
  let opened: TestTarget;
  let host: KubernetesHost;

  beforeAll(async () => {
    opened = await openTestTarget(await testCluster(stderrProgress('test cluster')), 'seaplane-health-test');
    host = await openTestHost(opened.target);
  });
  afterAll(async () => {
    host?.[Symbol.dispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  /**
   * Waits until the API server's authorizer has heard of a changed Role: it learns of Roles by a watch, a moment after the
   * API server has stored them, and answers by what it knows.
   */
  async function untilAuthorizer(verb: string, resource: string, allowed: boolean): Promise<void> {
    const { namespace } = opened.target;
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: `system:serviceaccount:${namespace}:seaplane`,
        resourceAttributes: { namespace, verb, resource },
      },
    };
    const answer = async () => {
      const { stdout } = await opened.kubectl(['create', '-o', 'json', '-f', '-'], { input: JSON.stringify(review) });
      return (JSON.parse(stdout) as { status: { allowed: boolean } }).status.allowed;
    };
    await expect.poll(answer, { timeout: 30_000 }).toBe(allowed);
  }

  async function checkWith(change: Partial<Target>) {
    using other = await openTestHost({ ...opened.target, ...change });
    return other.check(soon());
  }

  async function checkWithKubeconfig(change: (config: Kubeconfig) => void) {
    const config = JSON.parse(await readFile(opened.kubeconfig, 'utf8')) as Kubeconfig;
    change(config);
    const path = `${opened.kubeconfig}.changed`;
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    return checkWith({ cluster: { kind: 'kubeconfig', path } });
  }

  test('[KUBE-ACC2] the published Role is enough: nothing is missing, the store answers, nodes reach its images', async () => {
    await expect.poll(() => host.check(soon()), { timeout: 60_000 }).toEqual(WELL);
    const { stdout } = await opened.kubectl(['get', 'pods', '-l', 'seaplane.dev/component!=store', '-o', 'name']);
    expect(stdout).toBe('');
  });

  test('[KUBE-ACC2] [KUBE-ACC8] a right that was taken away is named', async () => {
    const role = JSON.parse((await opened.kubectl(['get', 'role', 'seaplane-target', '-o', 'json'])).stdout);
    const less = {
      ...role,
      rules: role.rules.filter((rule: { resources: string[] }) => !rule.resources.includes('secrets')),
    };
    await opened.kubectl(['replace', '-f', '-'], { input: JSON.stringify(less) });
    await untilAuthorizer('create', 'secrets', false);
    const { problems } = await checkWith({});
    expect(problems).toEqual([
      expect.stringMatching(/^may not create, delete secrets in the namespace seaplane-health-test/),
    ]);
    await opened.kubectl(['delete', 'role', 'seaplane-target']);
    await untilAuthorizer('create', 'pods', false);
    // A host that knew its rights asks again when a request of its own is refused: here that of the first check.
    expect((await host.check(soon())).usable).toBe(false);
    expect((await host.check(soon())).problems).toEqual([
      expect.stringMatching(/^nothing is permitted in the namespace/),
    ]);
    const { resourceVersion, uid, ...metadata } = role.metadata;
    await opened.kubectl(['create', '-f', '-'], { input: JSON.stringify({ ...role, metadata }) });
    await untilAuthorizer('create', 'secrets', true);
    expect(await host.check(soon())).toEqual(WELL);
  });

  test('[KUBE-ACC3] a namespace whose Pod Security forbids our pods', async () => {
    const label = 'pod-security.kubernetes.io/enforce';
    const labelled = (value: string) =>
      opened.kubectl(['label', 'namespace', opened.target.namespace, value, '--overwrite']);
    await labelled(`${label}=restricted`);
    const { problems } = await host.check(soon());
    expect(problems).toEqual([expect.stringMatching(/violates PodSecurity "restricted:latest".*Pod Security level/)]);
    await labelled(`${label}=baseline`);
    expect(await host.check(soon())).toEqual(WELL);
  });

  test('[KUBE-ACC4] credentials that are refused, a CA of another cluster, no server at the address', async () => {
    const refused = await checkWithKubeconfig(({ users }) => {
      for (const { user } of users) user.token = 'expired';
    });
    expect(refused).toEqual({
      usable: false,
      problems: [expect.stringContaining('does not accept the credentials')],
    });
    const untrusted = await checkWithKubeconfig(({ clusters }) => {
      for (const { cluster } of clusters) delete cluster['certificate-authority-data'];
    });
    expect(untrusted).toEqual({ usable: false, problems: [expect.stringContaining('shows a certificate')] });
    const away = await checkWithKubeconfig(({ clusters }) => {
      for (const { cluster } of clusters) cluster['server'] = 'https://127.0.0.1:1';
    });
    expect(away).toEqual({
      usable: false,
      problems: [expect.stringContaining('does not answer (connect ECONNREFUSED')],
    });
  });

  test('[KUBE-ACC4] a namespace that is not there', async () => {
    expect(await checkWith({ namespace: 'no-such-namespace' })).toEqual({
      usable: false,
      problems: [expect.stringMatching(/^nothing is permitted in the namespace no-such-namespace: does it exist\?/)],
    });
  });
});
