import { systemClock } from '@seaplane/orchestrator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { type FakeTarget, fakeTarget } from '../testing/fake-target.ts';
import { KubeApi } from './kube-api.ts';
import { loadCluster } from './kubeconfig.ts';
import { type Change, reflect } from './reflector.ts';
import type { Pod } from './wire.ts';

const PODS = '/api/v1/namespaces/ci/pods';

let server: FakeApiServer;
let fake: FakeTarget;
let stop: AbortController;
/** The changes that a consumer got so far, in short. */
let seen: string[];
let troubles: string[];
let waits: number[];
let ended: Promise<void>;

function pod(name: string, phase = 'Pending', labels: Record<string, string> = { ours: 'yes' }): Pod {
  return { metadata: { name, labels, managedFields: [{ manager: 'kubelet' }] }, status: { phase } };
}

/** A watcher's view at the end: the level, however it came about. */
function level(): Record<string, string> {
  const state: Record<string, string> = {};
  for (const line of seen) {
    const [sign, name = '', phase = ''] = line.split(' ');
    if (sign === '+') state[name] = phase;
    if (sign === '-') delete state[name];
  }
  return state;
}

function note(change: Change<Pod>): string {
  if (change.kind === 'synced') return 'synced';
  const { metadata, status } = change.object;
  expect(metadata?.managedFields ?? []).toEqual(change.kind === 'present' ? [] : expect.anything());
  return `${change.kind === 'present' ? '+' : '-'} ${metadata?.name} ${status?.phase}`;
}

async function follow(api: KubeApi): Promise<void> {
  const clock = { now: () => new Date(0), sleep: async (ms: number) => void waits.push(ms) };
  const options = {
    api,
    // Waits take no time but are seen; a watch never lasts long enough by this clock.
    clock: { ...systemClock, ...clock },
    path: PODS,
    what: 'pods',
    selectors: { labelSelector: 'ours=yes' },
    onTrouble: (error: Error) => troubles.push(error.message),
  };
  for await (const change of reflect<Pod>(options, stop.signal)) seen.push(note(change));
}

beforeEach(async () => {
  server = await FakeApiServer.start();
  fake = await fakeTarget(server.url);
  stop = new AbortController();
  seen = [];
  troubles = [];
  waits = [];
  server.put(PODS, pod('a'));
  server.put(PODS, pod('b', 'Running'));
  server.put(PODS, pod('other', 'Running', {}));
});
afterEach(async () => {
  stop.abort();
  await ended;
  await server[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

function start(): void {
  const api = new KubeApi(() => loadCluster(fake.target));
  ended = follow(api).finally(() => api[Symbol.dispose]());
}
const eventually = (check: () => unknown) => expect.poll(check, { interval: 5, timeout: 10_000 });
const watches = () => server.requests.filter((request) => request.includes('watch=true'));
const lists = () => server.requests.filter((request) => request.includes('limit='));
const versionOf = (request?: string) =>
  new URL(request?.split(' ')[1] ?? '', 'http://x').searchParams.get('resourceVersion');

async function startAndSync(): Promise<void> {
  start();
  await eventually(() => server.watching).toBe(1);
}

test('[KUBE-RFL1] first everything there is, then synced, then each change', async () => {
  await startAndSync();
  expect(seen).toEqual(['+ a Pending', '+ b Running', 'synced']);
  server.put(PODS, pod('c'));
  server.put(PODS, pod('a', 'Running'));
  server.remove(PODS, 'b');
  await eventually(() => seen.slice(3)).toEqual(['+ c Pending', '+ a Running', '- b Running']);
});

test('[KUBE-RFL1] a long list is read in pages', async () => {
  for (let index = 0; index < 1200; index++) server.put(PODS, pod(`p${index}`));
  await startAndSync();
  expect(lists()).toHaveLength(3);
  expect(Object.keys(level())).toHaveLength(1202);
});

describe('a watch that ends', () => {
  test('[KUBE-RFL2] goes on from the last version it saw, and lists nothing', async () => {
    await startAndSync();
    server.put(PODS, pod('c'));
    await eventually(() => seen.at(-1)).toBe('+ c Pending');
    server.endWatches();
    await eventually(() => watches().length).toBe(2);
    server.put(PODS, pod('d'));
    await eventually(() => seen.at(-1)).toBe('+ d Pending');
    expect(lists()).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test('[KUBE-RFL2] a bookmark moves the version on', async () => {
    await startAndSync();
    server.advance();
    server.bookmark();
    server.endWatches();
    await eventually(() => watches().length).toBe(2);
    const [first, second] = watches().map(versionOf);
    expect(Number(second)).toBe(Number(first) + 1);
    expect(seen.at(-1)).toBe('synced');
  });

  test('[KUBE-RFL3] cut in the middle of a line, nothing is lost or doubled', async () => {
    await startAndSync();
    for (let round = 0; round < 5; round++) {
      server.put(PODS, pod(`before${round}`));
      server.cutWatches();
      server.put(PODS, pod(`after${round}`));
      await eventually(() => seen.at(-1)).toBe(`+ after${round} Pending`);
      await eventually(() => server.watching).toBe(1);
    }
    expect(lists()).toHaveLength(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(13);
    expect(troubles.length).toBeGreaterThan(0);
  });

  test('[KUBE-RFL4] at once and without an event, is a failure to wait after', async () => {
    await startAndSync();
    server.endWatches();
    await eventually(() => waits.length).toBe(1);
    expect(troubles).toEqual([expect.stringContaining('ended the watch at once')]);
  });
});

describe('a version that is too old', () => {
  test.each(['as the answer', 'in the stream'])(
    '[KUBE-RFL5] %s: lists again and yields what has gone',
    async (where) => {
      await startAndSync();
      if (where === 'in the stream') server.sendError({ code: 410, message: 'too old' });
      else {
        server.intercept = (request) => {
          if (!request.url?.includes('watch=true')) return undefined;
          server.remove(PODS, 'a');
          server.put(PODS, pod('b', 'Succeeded'));
          server.put(PODS, pod('c'));
          server.forgetHistory();
          server.intercept = () => undefined;
          return { code: 503 };
        };
        server.endWatches();
      }
      await eventually(() => lists().length).toBe(2);
      await eventually(() => server.watching).toBe(1);
      server.put(PODS, pod('d'));
      await eventually(() => seen.at(-1)).toBe('+ d Pending');
      expect(seen.filter((line) => line === 'synced')).toHaveLength(1);
      const changed = where === 'in the stream' ? { a: 'Pending', b: 'Running' } : { b: 'Succeeded', c: 'Pending' };
      expect(level()).toEqual({ ...changed, d: 'Pending' });
    },
  );

  test('[KUBE-RFL5] a pod made again under its name while nothing watched is another pod', async () => {
    await startAndSync();
    server.remove(PODS, 'a');
    server.put(PODS, pod('a', 'Running'));
    server.sendError({ code: 410 });
    await eventually(() => seen.at(-1)).toBe('+ a Running');
    expect(seen.slice(3)).toEqual(['- a Pending', '+ a Running']);
  });
});

test('[KUBE-RFL8] a version that the server never answers to is given up, and all is listed again', async () => {
  await startAndSync();
  const first = versionOf(watches()[0]) ?? '';
  server.intercept = (request) => (versionOf(`GET ${request.url}`) === first ? { code: 504 } : undefined);
  server.cutWatches();
  server.remove(PODS, 'b');
  await eventually(() => lists().length).toBe(2);
  await eventually(() => server.watching).toBe(1);
  expect(level()).toEqual({ a: 'Pending' });
  expect(seen.filter((line) => line === 'synced')).toHaveLength(1);
});

describe('a failing server', () => {
  test('[KUBE-RFL6] is asked again, after longer and longer waits, and its objects are yielded from the start', async () => {
    let failures = 6;
    server.intercept = () => (failures-- > 0 ? { code: 500, status: { message: 'etcd is away' } } : undefined);
    await startAndSync();
    expect(seen).toEqual(['+ a Pending', '+ b Running', 'synced']);
    expect(troubles).toHaveLength(6);
    expect(troubles[0]).toContain('etcd is away');
    expect(waits.map((wait) => Math.ceil(Math.log2(wait / 50)))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('[KUBE-RFL6] credentials that were renewed on disk are taken up', async () => {
    await startAndSync();
    server.token = 'renewed';
    await fake.write(server.url, 'renewed');
    server.cutWatches();
    await eventually(() => server.watching).toBe(1);
    server.put(PODS, pod('c'));
    await eventually(() => seen.at(-1)).toBe('+ c Pending');
  });
});

test('[KUBE-RFL7] the signal ends it, and its connection', async () => {
  await startAndSync();
  stop.abort();
  await ended;
  await eventually(() => server.watching).toBe(0);
});
