import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@seaplane/db/testing';
import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { openTestTarget } from '@seaplane/kubernetes/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiRecorder } from './testing/api-recorder.ts';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_500_000 });
const PATIENCE = { timeout: 240_000, interval: 200 };

const PIPELINE = `
jobs:
- name: one
  plan:
  - task: one
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      run: {path: echo, args: [hello]}
`;

/** The health check has the API server judge a pod, and not make it. */
const isJudged = (request: string) => request.includes('dryRun=All');
const isWrite = (request: string) => !request.startsWith('GET ') && !isJudged(request);

describe.skipIf(whyNoTestCluster())('what a target costs a real API server', () => {
  const namespace = `cost-${randomBytes(3).toString('hex')}`;
  const stack = new AsyncDisposableStack();
  let recorder: ApiRecorder;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    const target = stack.use(await openTestTarget(await testCluster(stderrProgress('test cluster')), namespace));
    const temporary = stack.use(await temporaryDirectory());
    recorder = stack.use(await ApiRecorder.before(target.kubeconfig));
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
    const template = { dnsPolicy: 'Default' };
    const entry = { name: 'cost', kubeconfig: target.kubeconfig, namespace, images, template };
    const targetsFile = join(temporary.path, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([entry]));
    web = stack.use(
      await RunningWeb.start({ port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile }),
    );
    user = await ApiUser.login(web.url);
    await user.setPipeline('cost', PIPELINE);
    await vi.waitFor(() => expect(web.output).toContain('worker cost is well'), PATIENCE);
    await runToEnd(); // the first one makes what all share
  });

  afterAll(() => stack[Symbol.asyncDispose]());

  /** Runs a build until its pod has been deleted. */
  async function runToEnd(): Promise<string[]> {
    const before = recorder.requests.length;
    const since = () => recorder.requests.slice(before);
    const build = await user.trigger('cost', 'one');
    const log = await user.log(build, AbortSignal.timeout(180_000));
    expect(await user.status(build), `${log}\n${web.output}`).toBe('succeeded');
    await vi.waitFor(() => expect(since().some((request) => request.startsWith('DELETE '))).toBe(true), PATIENCE);
    return since();
  }

  test('[APICOST1] a step costs a real API server at most four writes', async () => {
    const writes = (await runToEnd()).filter(isWrite);
    expect(writes[0]).toBe(`POST /api/v1/namespaces/${namespace}/pods`);
    expect(writes.length, writes.join('\n')).toBeLessThanOrEqual(4);
  });

  test('[APICOST1] an idle target costs no write and no question about rights, and three requests a health check', async () => {
    const checks = 3;
    const before = recorder.requests.length;
    const since = () => recorder.requests.slice(before);
    await vi.waitFor(() => expect(since().filter(isJudged).length).toBeGreaterThan(checks), PATIENCE);
    expect(since().filter(isWrite)).toEqual([]);
    expect(since().filter((request) => request.includes('authorization.k8s.io'))).toEqual([]);
    expect(since().length, since().join('\n')).toBeLessThanOrEqual(3 * (checks + 1));
  });
});
