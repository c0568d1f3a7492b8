import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Loaded here, where no test's time limit counts it; the product loads it when it is first used.
import '@kubernetes/client-node';
import type { Target } from '../target.ts';
import { parseTarget } from './parse-target.ts';

/** A target whose kubeconfig is a file of its own. */
export interface FakeTarget extends AsyncDisposable {
  readonly target: Target;
  readonly kubeconfig: string;
  /** Writes the kubeconfig again, for this server and token. */
  write(server: string, token: string): Promise<void>;
}

export async function fakeTarget(server: string, token = 'good'): Promise<FakeTarget> {
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-kubeconfig-'));
  const kubeconfig = join(directory, 'kubeconfig');
  async function write(url: string, bearer: string) {
    const config = {
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'c', user: 'u' } }],
      // The client speaks plain HTTP only to a server it is configured not to verify.
      clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: bearer } }],
    };
    await writeFile(kubeconfig, JSON.stringify(config));
  }
  await write(server, token);
  return {
    target: parseTarget({ name: 'fake', kubeconfig, namespace: 'ci', images: { baggageclaim: 'sidecar:1' } }),
    kubeconfig,
    write,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
