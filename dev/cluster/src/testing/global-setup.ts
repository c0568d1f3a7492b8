import { silent } from '@seaplane/dev-toolchain/progress.ts';
import { announceTestRun, stopTestCluster, whyNoTestCluster } from './test-cluster.ts';

/** For vitest: the first test that wants the cluster starts it; this ends it after the last, of all runs that use it. */
export default function setup(): () => Promise<void> {
  announceTestRun();
  const why = whyNoTestCluster();
  if (why) console.warn(`\n*** SKIPPING every test that needs a Kubernetes cluster: ${why}\n`);
  return () => stopTestCluster(silent);
}
