import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { describeSandboxHost } from '@seaplane/orchestrator/testing';
import { describe } from 'vitest';
import { openTestHost } from './testing/test-host.ts';
import { openTestTarget } from './testing/test-target.ts';

describe.skipIf(whyNoTestCluster())('on a real cluster', () => {
  describeSandboxHost('a namespace', async () => {
    const cluster = await testCluster(stderrProgress('test cluster'));
    const opened = await openTestTarget(cluster, 'seaplane-host-test');
    const host = await openTestHost(opened.target);
    return {
      host,
      image: imageRef('busybox'),
      async [Symbol.asyncDispose]() {
        host[Symbol.dispose]();
        await opened[Symbol.asyncDispose]();
      },
    };
  });
});
