import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { type TestCluster, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { openTestTarget, type TestTarget } from '@seaplane/kubernetes/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiUser, type ShownEvent } from './testing/api-user.ts';
import { Gate } from './testing/gate.ts';
import { GitDaemon } from './testing/git-daemon.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 1_500_000 });
const PATIENCE = { timeout: 240_000, interval: 200 };
/** Nobody's node is drained for a test. */
const whyNot = process.env['KUBECONFIG'] ? 'KUBECONFIG names a cluster that is not the tests’ own' : whyNoTestCluster();

type Gates = Record<'check' | 'get' | 'put' | 'task', Gate>;

/** Each kind of step goes through a gate of its own. */
function pipeline(direct: string, gates: Gates, trigger: boolean): string {
  const resource = (name: string, uri: string) => `
- name: ${name}
  type: git
  check_every: never
  source: {uri: "${uri}", branch: main}`;
  const behind = (gate: Gate) => `git://${gate.address}/repository.git`;
  return `
resources:${resource('direct', direct)}${resource('checked', behind(gates.check))}${resource('got', behind(gates.get))}${resource('pushed', behind(gates.put))}
jobs:
- name: get
  plan: [{get: got, trigger: ${trigger}}]
- name: unused
  plan: [{get: checked}]
- name: put
  plan: [{get: direct}, {put: pushed, params: {repository: direct}}]
- name: task
  plan:
  - task: work
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      run: {path: sh, args: [-ec, "echo begun; nc ${gates.task.address.replace(':', ' ')} < /dev/null; echo done"]}
`;
}

interface Ended {
  readonly status: string;
  readonly log: string;
  readonly errors: readonly string[];
}

describe.skipIf(whyNot)('kubectl drain of a node on which steps run', () => {
  const worker = `drained-${randomBytes(3).toString('hex')}`;
  const stack = new AsyncDisposableStack();
  let cluster: TestCluster;
  let target: TestTarget;
  let temporary: TemporaryDirectory;
  let git: GitDaemon;
  let gates: Gates;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    cluster = await testCluster(stderrProgress('test cluster'));
    target = stack.use(await openTestTarget(cluster, worker));
    temporary = stack.use(await temporaryDirectory());
    const host = await hostOf(cluster);
    git = stack.use(await GitDaemon.start(temporary.path, host));
    const behind = { host, port: Number(new URL(git.url).port) };
    const [check, get, put, task] = [
      await Gate.start(host, behind),
      await Gate.start(host, behind),
      await Gate.start(host, behind),
      await Gate.start(host),
    ];
    gates = { check, get, put, task };
    for (const gate of Object.values(gates)) stack.use(gate);
    const entry = {
      name: worker,
      kubeconfig: target.kubeconfig,
      namespace: worker,
      images: { baggageclaim: imageRef('baggageclaim'), baseTypes: 'built-in' },
      template: { dnsPolicy: 'Default' },
    };
    await writeFile(join(temporary.path, 'targets.json'), JSON.stringify([entry]));
    await startWeb();
    await user.setPipeline('drain', pipeline(git.url, gates, false));
    gates.get.open();
    for (const resource of ['direct', 'got'])
      expect((await toEnd(await user.checkResource('drain', resource))).status).toBe('succeeded');
    gates.get.close();
  });

  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await cluster?.kubectl(['uncordon', ...(await nodes())]);
    await stack[Symbol.asyncDispose]();
  });

  test('[DRAIN1] check and get run again; a task and a put that had started error, and do not run again', async () => {
    const got = gates.get.arrived;
    const builds = {
      check: await user.checkResource('drain', 'checked'),
      get: await triggered(),
      put: await user.trigger('drain', 'put'),
      task: await user.trigger('drain', 'task'),
    };
    await held({ check: 1, get: got + 1, put: 1, task: 1 });
    const before = git.commitOf('main');
    await drain();
    const [task, put] = [await toEnd(builds.task), await toEnd(builds.put)];
    for (const { status, log, errors } of [task, put]) {
      expect(status, log).toBe('errored');
      expect(errors).toEqual([expect.stringMatching(/was evicted: its node \S+ is being drained/)]);
    }
    expect(task.log.match(/begun/g)).toHaveLength(1);
    expect(task.log).not.toContain('done');

    for (const gate of Object.values(gates)) gate.open();
    await cluster.kubectl(['uncordon', ...(await nodes())]);
    const [check, get] = [await toEnd(builds.check), await toEnd(builds.get)];
    for (const { status, log } of [check, get]) {
      expect(status, `${log}\n${web.output}`).toBe('succeeded');
      expect(log).toMatch(/is being drained.*: the (step runs|check is made) again/);
    }
    expect([gates.put.arrived, gates.task.arrived]).toEqual([1, 1]);
    expect(git.commitOf('main')).toBe(before);
  });

  test('[DRAIN1] a task that had started runs again if the operator says so, and a put does not', async () => {
    await web[Symbol.asyncDispose]();
    await startWeb('--enable-rerun-when-worker-disappears', 'true');
    for (const gate of Object.values(gates)) gate.close();
    const { put, task } = { put: gates.put.arrived, task: gates.task.arrived };
    const builds = { put: await user.trigger('drain', 'put'), task: await user.trigger('drain', 'task') };
    await held({ put: put + 1, task: task + 1 });
    await drain();
    expect(await toEnd(builds.put)).toMatchObject({
      status: 'errored',
      errors: [expect.stringMatching(/was evicted: its node \S+ is being drained/)],
    });
    for (const gate of Object.values(gates)) gate.open();
    await cluster.kubectl(['uncordon', ...(await nodes())]);
    const again = await toEnd(builds.task);
    expect(again.status, `${again.log}\n${web.output}`).toBe('succeeded');
    expect(again.log).toContain('the step runs again (1 of at most 3 times)');
    expect(again.log.match(/begun/g)).toHaveLength(2);
    expect(again.log.match(/done/g)).toHaveLength(1);
    expect(gates.put.arrived).toBe(put + 1);
  });

  async function startWeb(...flags: string[]): Promise<void> {
    const targetsFile = join(temporary.path, 'targets.json');
    const dataDir = join(temporary.path, 'data');
    web = await RunningWeb.start({ port: await freePort(), dataDir, targetsFile, flags });
    user = await ApiUser.login(web.url);
    await vi.waitFor(async () => expect((await user.workers()).get(worker), web.output).toBe('running'), PATIENCE);
  }

  /** The build that a known version triggers. A build that a user triggers would check the resource first. */
  async function triggered(): Promise<number> {
    await user.setPipeline('drain', pipeline(git.url, gates, true));
    return vi.waitFor(async () => {
      const [build] = await user.builds('drain', 'get');
      if (!build) throw new Error('there is no build yet');
      return build.id;
    }, PATIENCE);
  }

  /** Waits until the steps have dialled their gates, which shows that their processes run. */
  async function held(expected: Partial<Record<keyof Gates, number>>): Promise<void> {
    await vi.waitFor(() => {
      const counts = Object.keys(expected).map((name) => [name, gates[name as keyof Gates].arrived]);
      expect(Object.fromEntries(counts), web.output).toEqual(expected);
    }, PATIENCE);
  }

  async function nodes(): Promise<string[]> {
    const { stdout } = await cluster.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
    return stdout.split(' ');
  }

  /** As an operator does it, but for the pods of other tests. */
  async function drain(): Promise<void> {
    const flags = ['--force', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s'];
    await cluster.kubectl(['drain', ...(await nodes()), ...flags, `--pod-selector=seaplane.dev/worker=${worker}`]);
  }

  async function toEnd(build: number): Promise<Ended> {
    const events: ShownEvent[] = [];
    for await (const event of user.events(build, AbortSignal.timeout(600_000))) events.push(event);
    return {
      status: await user.status(build),
      log: events.map(({ event, data }) => (event === 'log' ? data.payload : '')).join(''),
      errors: events.flatMap(({ event, data }) => (event === 'error' && data.message ? [data.message] : [])),
    };
  }
});

/** The address at which pods of the tests' cluster reach this machine: the other end of the node's link. */
async function hostOf(cluster: TestCluster): Promise<string> {
  const path = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  const { stdout: node } = await cluster.kubectl(['get', 'nodes', '-o', path]);
  return node.replace(/\d+$/, '1');
}
