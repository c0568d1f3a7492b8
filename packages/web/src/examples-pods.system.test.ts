import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { type TestCluster, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { EXAMPLES, runExample } from './testing/examples.ts';
import { readExample } from './testing/read-example.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

vi.setConfig({ testTimeout: 900_000 });

describe.skipIf(whyNoTestCluster())('examples on pods', () => {
  const namespace = `examples-${randomBytes(3).toString('hex')}`;
  let cluster: TestCluster;
  let temporary: TemporaryDirectory;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    cluster = await testCluster(stderrProgress('test cluster'));
    await cluster.kubectl(['create', 'namespace', namespace]);
    temporary = await temporaryDirectory();
    const targetsFile = join(temporary.path, 'targets.json');
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
    await writeFile(targetsFile, JSON.stringify([{ name: 'test', kubeconfig: cluster.kubeconfig, namespace, images }]));
    web = await RunningWeb.start({ port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile });
    user = await ApiUser.login(web.url);
  });

  afterAll(async () => {
    await web[Symbol.asyncDispose]();
    await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await temporary[Symbol.asyncDispose]();
  });

  test.each(EXAMPLES)('[EXAMPLES1] $name', async (example) => {
    await runExample(user, example, forPods(await readExample(example.name, {})));
  });
});

/** Gives each task an image. The development cluster has the type `mock` alone, which stands for git and time. */
function forPods(yaml: string): string {
  const image = `rootfs_uri: docker:///${imageRef('busybox')}`;
  return yaml
    .replaceAll(/^( *)platform: linux$/gm, `$1platform: linux\n$1${image}`)
    .replaceAll(/type: (git|time)$/gm, 'type: mock')
    .replaceAll('uri: ((repository))', 'create_files: { README.md: An example. }')
    .replaceAll(/^ *branch: .*\n/gm, '')
    .replaceAll(/repository: source\n *force: true/g, 'version: two')
    .replaceAll('interval: 24h', 'initial_version: one');
}
