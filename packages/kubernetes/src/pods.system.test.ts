import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesHost } from './kubernetes-host.ts';
import { busyboxSpec, eventsUntil, openTestHost, outputOf, shell, untilPhase } from './testing/test-host.ts';
import { openTestTarget, type TestTarget } from './testing/test-target.ts';

const soon = () => AbortSignal.timeout(60_000);

describe.skipIf(whyNoTestCluster())('pods of a real cluster', () => {
  let opened: TestTarget;
  let host: KubernetesHost;

  beforeAll(async () => {
    const cluster = await testCluster(stderrProgress('test cluster'));
    opened = await openTestTarget(cluster, 'seaplane-words-test', { allowPrivileged: true });
    host = await openTestHost(opened.target);
  });
  afterAll(async () => {
    host?.[Symbol.dispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  async function ready(handle: string, change: object = {}) {
    await host.create(busyboxSpec(handle, change), soon());
    await untilPhase(host, handle, 'ready', soon());
    return host.connect(handle);
  }

  /** A command that prints 404 if it reaches the store's port for images, and else `cut`. */
  async function imagePortProbe(): Promise<string> {
    await host.store();
    const store = ['get', 'pod', `store-${opened.target.name}`, '-o', 'jsonpath={.status.podIP}'];
    const address = (await opened.kubectl(store)).stdout;
    return `timeout 2 wget -q -O- http://${address}:7789/ 2>&1 | grep -o 404 || echo cut`;
  }

  async function lastWords(handle: string): Promise<string> {
    const last = (await untilPhase(host, handle, 'failed', soon())).at(-1);
    return last?.kind === 'state' && last.state.phase === 'failed' ? last.state.reason : '';
  }

  test('[KUBE-POD18] built-in types run in pods without another image', async () => {
    const check = async (type: string, prepare: string, source: object) => {
      const client = await ready(`check-${type}`, { image: { reference: `builtin:${type}` } });
      const script = `${prepare} echo '${JSON.stringify({ source })}' | /opt/resource/check 2>/dev/null`;
      return JSON.parse(await shell(client, 'check', script, soon())) as unknown;
    };
    expect(await check('time', '', { interval: '1m' })).toEqual([{ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }]);
    const commit = 'git -c user.name=t -c user.email=t@example.test commit -q --allow-empty -m one';
    const repository = `git init -q -b main /tmp/build/repo; (cd /tmp/build/repo; ${commit});`;
    expect(await check('git', repository, { uri: 'file:///tmp/build/repo', branch: 'main' })).toEqual([
      { ref: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ]);
  });

  test("[KUBE-POD3] a step's volume outside of the build directory is read and filled, and hides nothing of the sidecar", async () => {
    // The sidecar's tar and its libraries are in these directories of its own image.
    const mounts = ['/usr', '/usr/bin', '/lib', '/tmp'];
    const client = await ready('mounts', { mounts });
    const script = 'echo here >/usr/file; mkdir /usr/share; ln -s /usr/file /usr/bin/link; touch /tmp/left';
    await shell(client, 'write', script, soon());
    expect(Buffer.from((await client.readFile('/usr/bin', 'link', 1024, soon())) ?? []).toString()).toBe('here\n');
    await expect(client.readFile('/usr', 'bin/tar', 1024, soon())).resolves.toBeUndefined();
    const inputs = ['/tmp/build/copy', '/tmp'].map((path) => ({ path, from: [client.sourceOf('/usr')] }));
    const run = {
      id: 'load',
      attempt: '1',
      path: 'sh',
      args: ['-c', 'ls /tmp /tmp/build/copy; cat /tmp/file'],
      inputs,
    };
    const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', directories: [] };
    await client.run({ ...plain, ...run }, soon());
    expect(await outputOf(client, 'load', soon())).toBe(
      '/tmp:\nbin\nbuild\nfile\nseaplane\nshare\n\n/tmp/build/copy:\nbin\nfile\nshare\nhere\n',
    );
  });

  test('[KUBE-POD5] root in a step has no rights on the node; in a privileged step it is root', async () => {
    const outside = (map: string) => map.trim().split(/\s+/)[1];
    const confined = await ready('confined');
    expect(Number(outside(await shell(confined, 'map', 'cat /proc/self/uid_map', soon())))).toBeGreaterThan(0);
    const privileged = await ready('privileged', { privileged: true });
    expect(outside(await shell(privileged, 'map', 'cat /proc/self/uid_map', soon()))).toBe('0');
  });

  test('[KUBE-POD19] a process has the groups of its user, which the supervisor does not have itself', async () => {
    const client = await ready('groups');
    const look = 'grep Groups: /proc/1/status | xargs; id -G';
    expect(await shell(client, 'root', look, soon())).toMatch(/^Groups:(?: 0)?\n0 1 2 4\n$/);
  });

  test("[KUBE-POD10] root in a step cannot take the place of the sidecar's socket, nor read its files", async () => {
    const client = await ready('own');
    const script =
      'mv /tmp/seaplane/supervisor.sock /tmp/seaplane/x; ls /seaplane-sidecar; touch /tmp/seaplane/records/x';
    expect(await shell(client, 'take', `(${script}) 2>&1`, soon())).toMatch(
      /Read-only file system\n.*No such file or directory\n$/,
    );
  });

  test('[KUBE-POD11] a step has no raw sockets unless the target allows them, and may ping without', async () => {
    using lax = await openTestHost({ ...opened.target, allowRawSockets: true });
    const look = 'grep CapBnd: /proc/self/status; cat /proc/sys/net/ipv4/ping_group_range; ping -c 1 -W 5 127.0.0.1';
    const seen = async (on: KubernetesHost, handle: string) => {
      await on.create(busyboxSpec(handle), soon());
      await untilPhase(on, handle, 'ready', soon());
      return shell(await on.connect(handle), 'raw', look, soon());
    };
    // BusyBox of Debian knows no other way to ping than raw sockets.
    expect(await seen(lax, 'raw')).toMatch(/^CapBnd:\t0*a80425fb\n0\t65535\n.*1 packets received/s);
    expect(await seen(host, 'not-raw')).toMatch(/^CapBnd:\t0*a80405fb\n0\t65535\n.*permission denied/s);
  });

  test('[KUBE-POD9] nothing that a step is given to keep is anywhere in its pod', async () => {
    const client = await ready('secret');
    const plain = { dir: '/', user: '', tty: null, inputs: [], directories: [] };
    const env = { PASSWORD: 'hunter2-env' };
    const asked = { id: 'x', attempt: '1', path: 'sh', args: ['-c', ': hunter2-arg'], stdin: 'hunter2-stdin' };
    await client.run({ ...plain, ...asked, env }, soon());
    const pod = (await opened.kubectl(['get', 'pod', 'secret', '-o', 'json'])).stdout;
    const events = (await opened.kubectl(['get', 'events', '-o', 'json'])).stdout;
    expect(pod).toContain('SEAPLANE_PUBLIC_KEY');
    expect(pod + events).not.toContain('hunter2');
    expect(pod).not.toContain('/var/run/secrets');
  });

  test('[KUBE-HST5] no other step reaches a hermetic one', async () => {
    const listen = "(while true; do echo here | nc -l -p 9000; done) </dev/null >/dev/null 2>&1 & echo 'listens'";
    const addressOf = async (handle: string) =>
      (await opened.kubectl(['get', 'pod', handle, '-o', 'jsonpath={.status.podIP}'])).stdout;
    const visitor = await ready('visitor');
    const visit = async (handle: string, id: string) =>
      shell(visitor, id, `timeout 2 nc ${await addressOf(handle)} 9000 </dev/null || echo cut`, soon());
    for (const [handle, change] of [
      ['host-open', {}],
      ['host-hermetic', { hermetic: true }],
    ] as const) {
      await host.create(busyboxSpec(handle, change), soon());
      await untilPhase(host, handle, 'ready', soon());
      const inside = await host.connect(handle);
      void shell(inside, 'listen', `${listen}; sleep 600`, AbortSignal.timeout(600_000)).catch(() => {});
    }
    let tries = 0;
    await expect.poll(() => visit('host-open', `open-${tries++}`), { timeout: 30_000 }).toContain('here');
    const inside = await host.connect('host-hermetic');
    const self = () => shell(inside, `self-${tries++}`, 'nc 127.0.0.1 9000 </dev/null 2>&1', soon());
    await expect.poll(self, { timeout: 30_000 }).toContain('here');
    await expect.poll(() => visit('host-hermetic', `closed-${tries++}`), { timeout: 30_000 }).toContain('cut');
  });

  test('[KUBE-HST5] a hermetic step reaches no address, and web still reaches the step', async () => {
    const probe = await imagePortProbe();
    const open = await ready('open');
    expect(await shell(open, 'probe', probe, soon())).toBe('404\n');
    // The first thing that each of them does.
    for (let step = 0; step < 5; step++) {
      const closed = await ready(`hermetic-${step}`, { hermetic: true });
      expect(await shell(closed, 'probe', probe, soon())).toBe('cut\n');
    }
  });

  test('[KUBE-POD12] a hermetic step does not start where no policy is enforced, and says so', async () => {
    // A cluster that ignores policies is like one whose policy is for no pod. The first pod shows when that holds.
    const policy = ['networkpolicy', `hermetic-in-and-out-${opened.target.name}`];
    const first = await ready('enforced', { hermetic: true });
    await shell(first, 'wait', 'true', soon());
    const nobody = JSON.stringify({ spec: { podSelector: { matchLabels: { nobody: 'at-all' } } } });
    await opened.kubectl(['patch', ...policy, '--type=merge', '-p', nobody]);
    const probe = await imagePortProbe();
    let tries = 0;
    await expect.poll(() => shell(first, `open-${tries++}`, probe, soon()), { timeout: 60_000 }).toBe('404\n');
    const client = await ready('not-enforced', { hermetic: true });
    const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
    await client.run({ id: 'p', attempt: '1', path: 'true', args: [], ...plain }, soon());
    const [last] = await Array.fromAsync(client.output({ id: 'p', attempt: '1' }, { stdout: 0, stderr: 0 }, soon()));
    expect(last).toMatchObject({ kind: 'exit', record: { end: { kind: 'not-started' } } });
    expect(JSON.stringify(last)).toContain("the cluster's network plugin does not enforce network policies");
    await opened.kubectl(['delete', ...policy]);
  });

  test('[KUBE-STS2] a step that no node can take waits, with a notice of what it waits for', async () => {
    await host.create(busyboxSpec('huge', { limits: { cpu: 1024 * 1000 } }), soon());
    const seen = await eventsUntil(host, 'huge', soon(), ({ kind }) => kind === 'notice');
    expect(seen.at(-1)).toMatchObject({ text: expect.stringMatching(/can take it: .*Insufficient cpu/) });
  });

  test('[KUBE-STS5] a registry that does not answer is a notice, and hides the image’s name', async () => {
    const reference = `127.0.0.1:9/unguessable@sha256:${'0'.repeat(64)}`;
    await host.create(busyboxSpec('unpulled', { image: { reference } }), soon());
    const seen = await eventsUntil(host, 'unpulled', soon(), ({ kind }) => kind === 'notice');
    expect(seen.at(-1)).toMatchObject({ text: expect.stringContaining('connection refused; trying again') });
    expect(JSON.stringify(seen)).not.toContain('unguessable');
  });

  test('[KUBE-STS4] an image’s name that is none ends the step at once', async () => {
    await host.create(busyboxSpec('misnamed', { image: { reference: 'UPPER//x' } }), soon());
    expect(await lastWords('misnamed')).toContain("the image UPPER//x can't be pulled: that is not an image's name");
  });

  test('[KUBE-STS9] a pod that somebody deletes, and one that is evicted', async () => {
    await ready('deleted');
    await ready('evicted');
    // Followed from before: a pod that has gone says nothing.
    const words = Promise.all([lastWords('deleted'), lastWords('evicted')]);
    words.catch(() => {}); // it is awaited below
    await opened.kubectl(['delete', 'pod', 'deleted', '--wait=false']);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } };
    const path = `/api/v1/namespaces/${opened.target.namespace}/pods/evicted/eviction`;
    await opened.kubectl(['create', '--raw', path, '-f', '-'], { input: JSON.stringify(eviction) });
    const [deleted, evicted] = await words;
    expect(deleted).toMatch(/^the pod deleted on node \S+ (was deleted|has ended)/);
    expect(evicted).toMatch(/^the pod evicted was evicted: its node \S+ is being drained/);
  });

  test('[KUBE-CFG3] quota that is used up is named, and a step is not made', async () => {
    const quota = ['create', 'quota', 'few', '--hard=pods=1'];
    await opened.kubectl(quota);
    const attempt = async () => {
      await host.create(busyboxSpec(`over-${crypto.randomUUID().slice(0, 8)}`), soon());
      return 'made';
    };
    // The quota is enforced once its controller has counted.
    await expect
      .poll(() => attempt().catch((error: Error) => error.message), { timeout: 60_000 })
      .toMatch(/exceeded quota: few.*The namespace seaplane-words-test has used up its quota/);
    await opened.kubectl(['delete', 'quota', 'few']);
  });
});
