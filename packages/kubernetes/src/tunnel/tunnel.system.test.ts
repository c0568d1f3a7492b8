import { createHash } from 'node:crypto';
import { createSigner, generateKeys } from '@seaplane/baggageclaim';
import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import type { KubernetesHost } from '../kubernetes-host.ts';
import { busyboxSpec, openTestHost, outputOf, shell, untilPhase } from '../testing/test-host.ts';
import { openTestTarget, type TestTarget } from '../testing/test-target.ts';

const test = anyTest.skipIf(whyNoTestCluster());
const TIMEOUT_MS = 180_000;
const HANDLE = 'outside';

let target: TestTarget;
/** No pod answers at its address for this one. */
let host: KubernetesHost;
const soon = () => AbortSignal.timeout(TIMEOUT_MS);

beforeAll(async () => {
  if (whyNoTestCluster()) return;
  const cluster = await testCluster(stderrProgress('tunnel'));
  target = await openTestTarget(cluster, 'tunnel');
  const signer = createSigner(generateKeys().privateKey);
  host = await openTestHost(target.target, { signer, routed: false });
  const ready = untilPhase(host, HANDLE, 'ready', soon());
  await host.create(busyboxSpec(HANDLE), soon());
  await ready;
}, TIMEOUT_MS);

afterAll(async () => {
  host?.[Symbol.dispose]();
  await target?.[Symbol.asyncDispose]();
}, TIMEOUT_MS);

test('[KUBE-TUN1] processes, files and shells of a pod work through the API server', {
  timeout: TIMEOUT_MS,
}, async () => {
  const client = await host.connect(HANDLE);
  expect(await shell(client, 'hello', 'echo hello; head -c 20000000 /dev/urandom > /tmp/build/bytes', soon())).toBe(
    'hello\n',
  );
  const printed = await shell(client, 'sum', 'sha256sum < /tmp/build/bytes', soon());
  const bytes = await client.readFile('/tmp/build', 'bytes', 1e9, soon());
  expect(
    `${createHash('sha256')
      .update(bytes as Uint8Array)
      .digest('hex')}  -\n`,
  ).toBe(printed);
  const cat = { path: 'cat', args: [], env: [], dir: '/', user: '', tty: null };
  await using hijacked = await client.hijack(cat, soon());
  const typed = Buffer.from('typed').toString('base64');
  await hijacked.send({ stdin: typed });
  expect(await hijacked.messages[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { stdout: typed } });
});

test('[KUBE-TUN1] artifacts go to the store and come from it', { timeout: TIMEOUT_MS }, async () => {
  const store = await host.store();
  const source = (await host.connect(HANDLE)).sourceOf('/tmp/build');
  await store.pullArtifact('of-the-pod', 'main', [source], soon());
  expect(await store.hasArtifact('of-the-pod', soon())).toBe(true);
  expect(await host.check(soon())).toMatchObject({ usable: true, problems: [], way: 'tunnel through the API server' });
});

test('[KUBE-TUN3] output goes on at the same byte when the store was made again', { timeout: TIMEOUT_MS }, async () => {
  const client = await host.connect(HANDLE);
  const watching = new AbortController();
  const watch = (async () => {
    for await (const _ of host.watch(watching.signal));
  })();
  const script = 'i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i; sleep 0.05; done';
  const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
  await client.run({ id: 'count', attempt: '1', path: 'sh', args: ['-c', script], ...plain }, soon());
  const output = outputOf(client, 'count', soon());
  output.catch(() => {});
  await target.kubectl(['delete', 'pod', '-l', 'seaplane.dev/component=store', '--grace-period=1']);
  expect(await output).toBe(Array.from({ length: 400 }, (_, i) => `${i + 1}\n`).join(''));
  watching.abort();
  await watch;
});
