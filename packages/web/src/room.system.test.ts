import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestCluster, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { openTestTarget, type TestTarget } from '@seaplane/kubernetes/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

const STEPS = 8;

/** Tasks in a row, each of 1 GiB, that hand a file on. */
function pipeline(): string {
  const step = (index: number) => `
  - task: t${index}
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      container_limits: {memory: 1gb}
      inputs: [{name: o${index - 1}, optional: true}]
      outputs: [{name: o${index}}]
      run: {path: sh, args: [-ec, "cat o${index - 1}/sum 2>/dev/null > o${index}/sum || true; echo ${index} >> o${index}/sum; echo sum: $(cat o${index}/sum)"]}`;
  return `jobs:\n- name: many\n  plan:${Array.from({ length: STEPS }, (_, index) => step(index)).join('')}\n`;
}

const EATER = `
jobs:
- name: eat
  plan:
  - task: eat
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      container_limits: {memory: 64mb}
      run: {path: sh, args: [-c, "echo eating; head -c 500m /dev/zero | tail -c 500m | wc -c; echo left; exit 7"]}
- name: eat-alone
  plan:
  - task: eat
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      container_limits: {memory: 64mb}
      run: {path: tail, args: [-c, 500m, /dev/zero]}
`;

describe.skipIf(whyNoTestCluster())('room and memory', () => {
  const patience = () => AbortSignal.timeout(180_000);
  let cluster: TestCluster;
  let target: TestTarget;
  let directory: string;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    cluster = await testCluster(stderrProgress('test cluster'));
    const namespace = `room-${randomBytes(3).toString('hex')}`;
    target = await openTestTarget(cluster, namespace);
    directory = await mkdtemp(join(tmpdir(), 'room-'));
    await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
    const targetsFile = join(directory, 'targets.json');
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
    const entry = {
      name: 'test',
      kubeconfig: target.kubeconfig,
      namespace,
      images,
      template: { dnsPolicy: 'Default' },
    };
    await writeFile(targetsFile, JSON.stringify([entry]));
    const quota = { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'q' } };
    const spec = { hard: { 'requests.memory': '2500Mi' } };
    await target.kubectl(['apply', '-f', '-'], { input: JSON.stringify({ ...quota, spec }) });
    web = await RunningWeb.start({ port: await freePort(), dataDir: join(directory, 'data'), targetsFile });
    user = await ApiUser.login(web.url);
    await user.setPipeline('room', pipeline());
    await user.setPipeline('memory', EATER);
  });

  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await target?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  async function runToEnd(): Promise<string> {
    const build = await user.trigger('room', 'many');
    const log = await user.log(build, patience());
    expect(await user.status(build), `${log}\n${web.output}`).toBe('succeeded');
    const last = Array.from({ length: STEPS }, (_, index) => index).join(' ');
    expect(log).toContain(`sum: ${last}`);
    return log;
  }

  test('[ROOM21] a build of steps larger together than the quota runs: steps that have ended give back what they reserve', async () => {
    const log = await runToEnd();
    expect(log).not.toContain('waiting for room');
  });

  test.each(['eat', 'eat-alone'])('[ROOM22] a step that the kernel killed for memory says so: %s', async (job) => {
    const build = await user.trigger('memory', job);
    const log = await user.log(build, patience());
    expect(log).toMatch(/memory, of which it may use 67108864|used more memory than its limit of 64 MiB/);
    // Where the kernel kills the whole container, the supervisor too, the step errors: nobody knows its status.
    expect(['failed', 'errored']).toContain(await user.status(build));
  });

  test('[ROOM21] such a build runs where pods cannot be made smaller: their outputs are stored, and they go', async () => {
    const role = JSON.parse((await target.kubectl(['get', 'role', 'seaplane-target', '-o', 'json'])).stdout);
    const rules = role.rules.filter(({ resources }: { resources: string[] }) => !resources.includes('pods/resize'));
    await target.kubectl(['replace', '-f', '-'], { input: JSON.stringify({ ...role, rules }) });
    const log = await runToEnd();
    expect(log).toContain('waiting for room on the worker test');
    expect(log).toContain('exceeded quota: q');
  });
});
