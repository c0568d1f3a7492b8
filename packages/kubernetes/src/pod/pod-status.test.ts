import type { HostErrorCode } from '@seaplane/orchestrator';
import { describe, expect, test } from 'vitest';
import type { KubeEvent, Pod } from '../api/wire.ts';
import { readPod } from './pod-status.ts';

const START = '2026-01-01T00:00:00Z';
const now = Date.parse(START) + 1_000;
const running = { running: { startedAt: START } };

interface Given {
  readonly status?: NonNullable<Pod['status']>;
  readonly sidecar?: object;
  readonly main?: object;
  readonly deleted?: boolean;
  readonly memory?: string;
  readonly image?: string;
}

function pod({ status, sidecar, main, deleted, memory, image = 'example.com/x:1' }: Given): Pod {
  const container = (name: string, fields: object) => ({
    name,
    image,
    imageID: '',
    ready: false,
    restartCount: 0,
    ...fields,
  });
  return {
    metadata: { name: 'task-7', uid: 'u1', creationTimestamp: START, ...(deleted ? { deletionTimestamp: START } : {}) },
    spec: {
      nodeName: 'n1',
      initContainers: [{ name: 'baggageclaim', image }],
      containers: [{ name: 'main', image, ...(memory ? { resources: { limits: { memory } } } : {}) }],
    },
    status: {
      phase: 'Pending',
      startTime: START,
      ...(sidecar ? { initContainerStatuses: [container('baggageclaim', sidecar)] } : {}),
      ...(main ? { containerStatuses: [container('main', main)] } : {}),
      ...status,
    },
  };
}

function event(reason: string, message: string, uid = 'u1'): KubeEvent {
  return { metadata: {}, involvedObject: { kind: 'Pod', name: 'task-7', uid }, reason, message, type: 'Warning' };
}

const read = (given: Given, events: readonly KubeEvent[] = [], at = now) => readPod(pod(given), events, at);
const waiting = (reason: string, message?: string) => ({
  state: { waiting: { reason, ...(message ? { message } : {}) } },
});
const terminated = (fields: object) => ({ state: { terminated: { exitCode: 1, ...fields } } });

describe('on its way', () => {
  test.each<[string, Given]>([
    ['starting on node n1', {}],
    ['starting on node n1', { sidecar: waiting('PodInitializing') }],
    ['starting on node n1', { sidecar: { state: running }, main: waiting('PodInitializing') }],
  ])('[KUBE-STS1] pending: %s', (reason, given) => {
    expect(read(given)).toEqual({ state: { phase: 'pending', reason }, notices: [] });
  });

  test('[KUBE-STS1] pending without a node', () => {
    const unassigned = pod({});
    delete unassigned.spec?.nodeName;
    expect(readPod(unassigned, [], now).state).toEqual({ phase: 'pending', reason: 'waiting for a node' });
  });

  test('[KUBE-STS2] no node has room: pending, and a notice in the scheduler’s words', () => {
    const message =
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const text = 'waiting for a node that can take it: 0/1 nodes are available: 1 Insufficient cpu';
    expect(read({ status: { conditions } })).toEqual({
      state: { phase: 'pending', reason: text, noRoom: true },
      notices: [{ key: text, text }],
    });
  });

  test('[KUBE-STS11] after the time that the operator sets, a pod that no node can take has failed', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available: 1 Insufficient cpu' },
    ];
    const [start, hour] = [Date.parse(START), 3_600_000];
    const at = (ms: number) => readPod(pod({ status: { conditions } }), [], ms, hour);
    expect(at(start + hour - 1)).toMatchObject({ state: { phase: 'pending' }, revisitAt: start + hour });
    const reason = 'no node could take it for 3600 seconds: 0/1 nodes are available: 1 Insufficient cpu';
    expect(at(start + hour)).toEqual({ state: { phase: 'failed', code: 'unschedulable', reason }, notices: [] });
  });

  test('[KUBE-STS3] ready as soon as the sidecar runs and has an address, whatever the step’s container does', () => {
    const status = { podIP: '10.0.0.7', phase: 'Pending' };
    for (const main of [waiting('PodInitializing'), waiting('ContainerCreating'), { state: running }]) {
      expect(read({ status, sidecar: { state: running }, main })).toEqual({ state: { phase: 'ready' }, notices: [] });
    }
    expect(read({ status, sidecar: waiting('PodInitializing') }).state.phase).toBe('pending');
    expect(read({ sidecar: { state: running } }).state.phase).toBe('pending');
  });
});

describe('images', () => {
  const ready = { status: { podIP: '10.0.0.7' }, sidecar: { state: running } };
  const notFound =
    'rpc error: code = NotFound desc = failed to pull and unpack image "example.com/x:1": failed to resolve reference "example.com/x:1": example.com/x:1: not found';

  test.each([
    ['ErrImagePull', notFound, /there is no such image: check its name and tag \(example.com\/x:1: not found\)$/],
    [
      'ImagePullBackOff',
      `Back-off pulling image "example.com/x:1": ErrImagePull: ${notFound}`,
      /\(example.com\/x:1: not found\)$/,
    ],
    ['ErrImagePull', 'failed to resolve image: pull access denied, insufficient_scope', /the registry refuses it/],
    ['ErrImagePull', 'unexpected status from HEAD request to https://x: 401 Unauthorized', /the registry refuses it/],
    ['ErrImagePull', 'no match for platform in manifest: not found', /no version for the processor of the node/],
    ['InvalidImageName', 'couldn\'t parse image name "X//": invalid reference format', /that is not an image's name/],
    ['ErrImageNeverPull', 'Container image "x" is not present with pull policy of Never', /not present/],
  ])('[KUBE-STS4] hopeless, at once: %s %s', (reason, message, words) => {
    const { state } = read({ ...ready, main: waiting(reason, message) });
    expect(state).toEqual({ phase: 'failed', code: 'image-pull', reason: expect.stringMatching(words) });
    expect(state).toEqual({
      phase: 'failed',
      code: 'image-pull',
      reason: expect.stringContaining("the image example.com/x:1 can't be pulled"),
    });
  });

  test.each([
    'failed to do request: Head "https://example.com/v2/x/manifests/1": dial tcp 1.2.3.4:443: connect: connection refused',
    'failed to do request: Head "https://example.com/v2/x/manifests/1": dial tcp: lookup example.com: no such host',
    'unexpected status from HEAD request to https://example.com/v2/x/manifests/1: 503 Service Unavailable',
    'toomanyrequests: You have reached your pull rate limit',
    'context deadline exceeded',
  ])('[KUBE-STS5] worth five minutes of trying, with a notice: %s', (message) => {
    const given = { ...ready, main: waiting('ErrImagePull', message) };
    const deadline = Date.parse(START) + 300_000;
    const text = `the image example.com/x:1 can't be pulled: ${message}`;
    const { notices, ...early } = read(given);
    expect(early).toEqual({ state: { phase: 'ready' }, revisitAt: deadline });
    expect(notices).toEqual([{ key: text, text: `${text}; trying again` }]);
    expect(read(given, [], deadline).state).toEqual({ phase: 'failed', code: 'image-pull', reason: text });
  });

  test('[KUBE-STS5] a kubelet’s warning counts at once, its status follows ten seconds later', () => {
    const pull = (container: string, message: string) => {
      const warning = event('Failed', `Failed to pull image "example.com/x:1": ${message}`);
      return { ...warning, involvedObject: { ...warning.involvedObject, fieldPath: `spec.containers{${container}}` } };
    };
    const starting = { ...ready, main: waiting('PodInitializing') };
    expect(read(starting, [pull('main', notFound)]).state).toEqual({
      phase: 'failed',
      code: 'image-pull',
      reason: expect.stringContaining('there is no such image'),
    });
    expect(read(starting, [pull('main', 'connection refused')])).toMatchObject({
      state: { phase: 'ready' },
      notices: [{ text: "the image example.com/x:1 can't be pulled: connection refused; trying again" }],
    });
    expect(read(starting, [pull('baggageclaim', notFound)])).toEqual({ state: { phase: 'ready' }, notices: [] });
    expect(read({ ...ready, main: { state: running } }, [pull('main', notFound)]).notices).toEqual([]);
  });

  test('[KUBE-STS6] no message shows the name of an image in the store', () => {
    const image = '127.0.0.1:30999/s3cr3t/path@sha256:00';
    const message = `Back-off pulling image "${image}": ErrImagePull: failed to pull and unpack image "${image}": failed to do request: Head "https://127.0.0.1:30999/v2/s3cr3t/path/manifests/sha256:00": connection refused`;
    const reading = read({ ...ready, image, main: waiting('ImagePullBackOff', message) });
    expect(JSON.stringify(reading)).not.toContain('s3cr3t');
    expect(reading.notices[0]?.text).toContain('127.0.0.1:30999/…@sha256:00');
  });

  test('[KUBE-STS6] the sidecar’s own image', () => {
    expect(read({ sidecar: waiting('ErrImagePull', notFound) }).state.phase).toBe('failed');
  });
});

describe('containers that do not start', () => {
  const ready = { status: { podIP: '10.0.0.7' }, sidecar: { state: running } };

  test('[KUBE-STS7] a configuration that can’t work is hopeless', () => {
    expect(read({ ...ready, main: waiting('CreateContainerConfigError', 'secret "x" not found') }).state).toEqual({
      phase: 'failed',
      code: 'cannot-start',
      reason: `the container main can't be made: secret "x" not found`,
    });
  });

  test('[KUBE-STS7] a stumbling runtime gets two minutes', () => {
    const given = { ...ready, main: waiting('CreateContainerError', 'context deadline exceeded') };
    expect(read(given)).toMatchObject({ state: { phase: 'ready' }, revisitAt: Date.parse(START) + 120_000 });
    expect(read(given, [], Date.parse(START) + 120_000).state).toMatchObject({ phase: 'failed', code: 'cannot-start' });
  });

  test('[KUBE-STS8] a sidecar that died is waited for, one that dies again and again is not', () => {
    const last = { terminated: { exitCode: 1, reason: 'Error' } };
    const given = (restartCount: number): Given => ({
      status: { podIP: '10.0.0.7' },
      sidecar: { ...waiting('CrashLoopBackOff'), lastState: last, restartCount },
    });
    const reason = 'baggageclaim in the pod task-7 keeps ending (Error, exit status 1)';
    expect(read(given(1))).toEqual({
      state: { phase: 'pending', reason },
      notices: [{ key: reason, text: `${reason}; it is started again` }],
    });
    expect(read(given(3)).state).toEqual({ phase: 'failed', code: 'sidecar-lost', reason });
    expect(read({ sidecar: terminated({ reason: 'Error' }) }).state).toEqual({ phase: 'pending', reason });
    const back = { state: running, lastState: last, restartCount: 1 };
    expect(read({ status: { podIP: '10.0.0.7' }, sidecar: back }).state).toEqual({ phase: 'ready' });
  });
});

describe('ends', () => {
  const oom = terminated({ reason: 'OOMKilled', exitCode: 137 });
  const disrupted = (reason: string, message?: string) => ({
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason, ...(message ? { message } : {}) }],
  });
  test.each<[HostErrorCode, string, Given]>([
    [
      'out-of-memory',
      'the pod task-7 on node n1 has ended: it ran out of memory, of which it may use 64Mi (OOMKilled). Raise container_limits.memory',
      { main: oom, memory: '64Mi', status: { phase: 'Running' } },
    ],
    [
      'out-of-memory',
      'the pod task-7 on node n1 has ended: its node ran out of memory (OOMKilled). Set container_limits.memory, so that it goes where there is enough',
      { main: oom, status: { phase: 'Failed' } },
    ],
    [
      'evicted',
      'the pod task-7 on node n1 was evicted: The node was low on resource: ephemeral-storage.',
      {
        status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' },
        main: terminated({ exitCode: 137 }),
      },
    ],
    [
      'evicted',
      'the pod task-7 was evicted: its node n1 is being drained (Eviction API: evicting)',
      { deleted: true, status: disrupted('EvictionByEvictionAPI', 'Eviction API: evicting') },
    ],
    [
      'evicted',
      'the pod task-7 made room for a pod with a higher priority',
      { status: disrupted('PreemptionByScheduler') },
    ],
    [
      'evicted',
      'the pod task-7 was ended: its node n1 is short of something or shuts down',
      { status: disrupted('TerminationByKubelet') },
    ],
    ['evicted', 'the pod task-7 was removed from its node n1 (Whim)', { status: disrupted('Whim') }],
    [
      'evicted',
      'the pod task-7 on node n1 failed: NodeShutdown: Pod was rejected as the node is shutting down.',
      {
        status: { phase: 'Failed', reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' },
      },
    ],
    [
      'node-lost',
      'the pod task-7 was removed: its node n1 does not answer or was tainted',
      { deleted: true, status: disrupted('DeletionByTaintManager') },
    ],
    ['node-lost', 'the pod task-7 was removed: its node n1 has gone', { status: disrupted('DeletionByPodGC') }],
    [
      'node-lost',
      'the pod task-7 was lost: its node n1 does not answer',
      { deleted: true, status: { phase: 'Running', reason: 'NodeLost' } },
    ],
    [
      'node-lost',
      'the pod task-7 on node n1 has ended: its node restarted or was lost, and what became of the process is not known',
      { status: { phase: 'Failed' }, main: terminated({ reason: 'ContainerStatusUnknown', exitCode: 137 }) },
    ],
    [
      'deleted',
      'the pod task-7 on node n1 was deleted',
      { deleted: true, status: { phase: 'Running' }, sidecar: { state: running } },
    ],
    [
      'cannot-start',
      'the pod task-7 on node n1 has ended: the container could not be started: exec: "/x": no such file',
      { status: { phase: 'Failed' }, main: terminated({ reason: 'StartError', message: 'exec: "/x": no such file' }) },
    ],
    [
      'ended',
      'the pod task-7 on node n1 has ended: its first process, the supervisor, exited with 0',
      { status: { phase: 'Succeeded' }, main: terminated({ reason: 'Completed', exitCode: 0 }) },
    ],
    [
      'ended',
      'the pod task-7 on node n1 has ended: its first process, the supervisor, was killed by signal 9',
      { main: terminated({ reason: 'Error', signal: 9 }) },
    ],
    [
      'unschedulable',
      'the pod task-7 on node n1 failed: OutOfcpu: Pod was rejected: Node didn’t have enough resource: cpu',
      {
        status: {
          phase: 'Failed',
          reason: 'OutOfcpu',
          message: 'Pod was rejected: Node didn’t have enough resource: cpu',
        },
      },
    ],
    ['ended', 'the pod task-7 on node n1 failed: no reason given', { status: { phase: 'Failed' } }],
    ['ended', 'the pod task-7 on node n1 has ended: its containers exited', { status: { phase: 'Succeeded' } }],
  ])('[KUBE-STS9] failed with the code %s: %s', (code, reason, given) => {
    expect(read(given)).toEqual({ state: { phase: 'failed', code, reason }, notices: [] });
  });
});

describe('warnings', () => {
  test('[KUBE-STS10] a warning that helps a user becomes a notice, each reason once', () => {
    const events = [
      event('FailedCreatePodSandBox', 'no address left for sandbox 1'),
      event('FailedCreatePodSandBox', 'no address left for sandbox 2'),
      event('FailedMount', 'timed out'),
      event('MissingClusterDNS', 'no DNS'),
    ];
    expect(read({}, events).notices).toEqual([
      { key: 'FailedCreatePodSandBox', text: 'the node could not set the pod up: no address left for sandbox 1' },
      { key: 'FailedMount', text: 'a volume could not be mounted: timed out' },
    ]);
  });

  test('[KUBE-STS10] warnings about an earlier pod of the same name are not about this one', () => {
    expect(read({}, [event('FailedMount', 'timed out', 'u0')]).notices).toEqual([]);
  });
});
