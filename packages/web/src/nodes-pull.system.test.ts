import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { type TestCluster, type TestRegistries, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { buildImages, imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { pushImage } from '@seaplane/dev-toolchain/testing/push-image.ts';
import { RealRegistry, whyNoRegistry } from '@seaplane/dev-toolchain/testing/real-registry.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

vi.setConfig({ testTimeout: 900_000 });

/** A cluster of the developer's own can't be told to trust a registry. */
const why = process.env['KUBECONFIG'] ? 'KUBECONFIG is set' : (whyNoTestCluster() ?? whyNoRegistry());

describe.skipIf(why)('the image of a task in a registry that nodes, checks and the store trust', () => {
  const namespace = `nodes-pull-${randomBytes(3).toString('hex')}`;
  const parts = new AsyncDisposableStack();
  let cluster: TestCluster;
  let registry: RealRegistry;
  let digest = '';
  let user: ApiUser;

  beforeAll(async () => {
    const progress = stderrProgress('test cluster');
    cluster = await testCluster(progress);
    const temporary = parts.use(await temporaryDirectory());
    await cluster.kubectl(['create', 'namespace', namespace]);
    parts.defer(async () => void (await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false'])));

    const registries = cluster.registries as TestRegistries;
    const { ca, ...files } = await makeCertificate(temporary, registries.address);
    registry = parts.use(await RealRegistry.startOpen({ address: registries.address, ...files }));
    await registries.trust(registry.host, ca);
    await cluster.kubectl([
      '-n',
      namespace,
      'create',
      'configmap',
      'company-ca',
      `--from-file=ca-certificates.crt=${files.certificate}`,
    ]);
    const [image] = await buildImages(['busybox'], progress);
    digest = image?.digest ?? '';
    await pushImage(image?.archive ?? '', { host: registry.host, ca, name: 'team/app', tag: '1' });

    const targetsFile = join(temporary.path, 'targets.json');
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: 'built-in' };
    const target = { name: 'test', kubeconfig: cluster.kubeconfig, namespace, images, certificates: 'company-ca' };
    await writeFile(targetsFile, JSON.stringify([target]));
    const web = await RunningWeb.start({ port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile });
    parts.use(web);
    user = await ApiUser.login(web.url);
  });
  afterAll(() => parts.disposeAsync());

  test('[IMAGES1] is pulled by the node, by the digest that a check found, and no get fetches it', async () => {
    const source = { repository: `${registry.host}/team/app`, tag: '1' };
    const config = {
      platform: 'linux',
      image_resource: { type: 'registry-image', source },
      run: { path: 'sh', args: ['-c', 'echo "in the image: $(ls /bin/busybox)"'] },
    };
    await user.setPipeline('app', JSON.stringify({ jobs: [{ name: 'run', plan: [{ task: 'run', config }] }] }));
    const build = await user.trigger('app', 'run');
    const log = await user.log(build, AbortSignal.timeout(240_000));
    expect({ log, status: await user.status(build) }).toMatchObject({ status: 'succeeded' });
    expect(log).toContain('in the image: /bin/busybox');

    const { pulled, pods } = await kubeletEvents();
    expect(pulled).toContainEqual(expect.stringContaining(`${registry.host}/team/app@${digest}`));
    expect(pods.filter((name) => name.startsWith('task-'))).toHaveLength(1);
    expect(pods.filter((name) => name.startsWith('get-'))).toEqual([]);
  });

  /** The words of kubelets about pulls, and the names of all pods that there were. */
  async function kubeletEvents(): Promise<{ pulled: string[]; pods: string[] }> {
    const { stdout } = await cluster.kubectl(['-n', namespace, 'get', 'events', '-o', 'json']);
    const { items } = JSON.parse(stdout) as {
      items: { reason: string; message: string; involvedObject: { kind: string; name: string } }[];
    };
    return {
      pulled: items.filter(({ reason }) => reason === 'Pulled').map(({ message }) => message),
      pods: [...new Set(items.flatMap(({ involvedObject: { kind, name } }) => (kind === 'Pod' ? [name] : [])))],
    };
  }
});

/** A certificate for an address that is its own authority. */
async function makeCertificate({ path }: TemporaryDirectory, address: string) {
  const [certificate, key] = [join(path, 'registry.crt'), join(path, 'registry.key')];
  const names = ['-subj', '/CN=registry', '-addext', `subjectAltName=IP:${address}`, '-days', '1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  await run('openssl', ['req', '-x509', '-nodes', ...curve, '-keyout', key, '-out', certificate, ...names]);
  return { certificate, key, ca: await readFile(certificate, 'utf8') };
}
