import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import type { Target } from '../target.ts';
import { parseTarget } from './parse-target.ts';

const ROLE = join(import.meta.dirname, '../../../../deploy/kubernetes/target-role.yaml');

/** A namespace of a real cluster with a service account that has exactly the rights of the published Role. */
export interface TestTarget extends AsyncDisposable {
  readonly target: Target;
  readonly kubeconfig: string;
  /** As administrator, in the namespace. */
  kubectl: TestCluster['kubectl'];
}

export async function openTestTarget(
  cluster: TestCluster,
  namespace: string,
  change: object = {},
): Promise<TestTarget> {
  const kubectl: TestCluster['kubectl'] = (args, options) => cluster.kubectl(['-n', namespace, ...args], options);
  await cluster.kubectl(['delete', 'namespace', namespace, '--ignore-not-found']);
  await cluster.kubectl(['create', 'namespace', namespace]);
  await kubectl(['apply', '-f', ROLE]);
  await kubectl(['create', 'serviceaccount', 'seaplane']);
  const account = `--serviceaccount=${namespace}:seaplane`;
  await kubectl(['create', 'rolebinding', 'seaplane', '--role=seaplane-target', account]);
  const token = (await kubectl(['create', 'token', 'seaplane', '--duration=2h'])).stdout.trim();

  const { stdout } = await cluster.kubectl(['config', 'view', '--raw', '--minify', '-o', 'json']);
  const config = JSON.parse(stdout) as { users: { user: object }[] };
  for (const entry of config.users) entry.user = { token };
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-target-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return {
    target: parseTarget({
      name: namespace,
      namespace,
      kubeconfig,
      images: { baggageclaim: imageRef('baggageclaim') },
      template: { dnsPolicy: 'Default' }, // the development cluster has no DNS of its own
      ...change,
    }),
    kubeconfig,
    kubectl,
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
      await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    },
  };
}
