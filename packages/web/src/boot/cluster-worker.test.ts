import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@seaplane/orchestrator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clusterWorker } from './cluster-worker.ts';

let directory: string;
let kubeconfig: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  kubeconfig = join(directory, 'config');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const CONTEXTS = `
contexts:
- {name: one, context: {cluster: c, user: u, namespace: ci}}
- {name: two, context: {cluster: c, user: u}}
`;

async function problemOf(text: string, namespace?: string): Promise<string | undefined> {
  await writeFile(kubeconfig, text);
  const worker = await clusterWorker({ kubeconfig, ...(namespace ? { namespace } : {}), image: 'b' });
  expect(worker.config).toMatchObject({ name: 'kubernetes', platform: 'linux', tags: [] });
  const client = () => {
    throw new Error('nothing to connect to');
  };
  const services = {
    installation: 'i',
    publicKey: '',
    authorityKey: '',
    client,
    relay: () => Promise.reject(new Error('not in this test')),
    onTrouble: () => {},
  };
  using host = worker.openHost({ ...services, clock: systemClock });
  return (await host.check(AbortSignal.timeout(10_000))).problems[0];
}

test('[WEB22] the namespace is that of the flag, else that of the current context, else seaplane', async () => {
  // The host's own complaint about the file names the worker; the namespace shows in the entry's validation.
  await expect(problemOf(`current-context: one\n${CONTEXTS}`, 'Not a name')).rejects.toThrow('the cluster.namespace');
  await expect(problemOf(`current-context: one\n${CONTEXTS.replace('ci', 'Bad Name')}`)).rejects.toThrow(
    'the cluster.namespace must be lower case letters',
  );
  expect(await problemOf(`current-context: two\n${CONTEXTS}`)).toContain('the cluster of the context two is missing');
});

test('[WEB22] a file that is not YAML is named, and not quoted', async () => {
  await expect(problemOf('token: "secret')).rejects.toThrow(`${kubeconfig} is not a kubeconfig: it is not valid YAML.`);
});
