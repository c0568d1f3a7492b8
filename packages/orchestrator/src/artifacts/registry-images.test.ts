import type { JsonObject } from '@seaplane/config';
import type { GetRequest, PulledImage } from '@seaplane/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../system-clock.ts';
import { InMemoryHost, type TestBed, testBed } from '../testing/index.ts';
import { SCRIPTS, task } from '../testing/mock-type.ts';
import { pullRequestOf } from './registry-images.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const get: GetRequest = {
  type: 'registry-image',
  source: { repository: 'a/b', tag: '1', username: 'me', password: 'secret' },
  image: { kind: 'base-type', type: 'registry-image', privileged: false },
  version: { tag: '1', digest: DIGEST, ref: 'abc' },
  tags: [],
  env: {},
  forImage: true,
};

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

function workers(pulls: Readonly<Record<string, 'any' | 'public' | undefined>>): InMemoryHost[] {
  const hosts = Object.entries(pulls).map(([name, can]) => {
    const host = new InMemoryHost(name, SCRIPTS);
    if (can) host.pulls = can;
    return host;
  });
  bed = testBed({}, { hosts });
  return hosts;
}

function pulledBy(host: InMemoryHost | undefined) {
  return host?.sidecar('store').pulls ?? [];
}

/** The image of a step, as the engine makes it of what the get returned. */
function stepImage(image: PulledImage, source: () => Promise<JsonObject> = async () => get.source) {
  return { kind: 'pulled', image, source, privileged: false } as const;
}

describe('the image of a step or type', () => {
  test('[ORC-IMG1] is pulled by the host, and no get runs', async () => {
    const [host] = workers({ one: 'any' });
    const io = bed.io('1');
    const { exitStatus, result } = await bed.orchestrator().get(io, get);
    expect({ exitStatus, ...result }).toEqual({
      exitStatus: 0,
      version: get.version,
      metadata: [
        { name: 'repository', value: 'a/b' },
        { name: 'tag', value: '1' },
      ],
      image: {
        worker: 'one',
        digest: DIGEST,
        reference: `a/b@${DIGEST}`,
        env: ['COLOUR=blue'],
        user: 'app',
        command: ['run'],
      },
      cacheId: expect.any(String),
    });
    expect(pulledBy(host)).toEqual([
      { repository: 'a/b', digest: DIGEST, credentials: { username: 'me', password: 'secret' } },
    ]);
    expect(io.notices).toEqual([
      { kind: 'selected-worker', worker: 'one' },
      { kind: 'message', text: 'pulling a/b' },
    ]);
    expect(host?.specs.size).toBe(0);
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  test('[ORC-IMG1] has the same identity as the image that a get would fetch', async () => {
    workers({ one: 'any' });
    const pulled = await bed.orchestrator().get(bed.io('1'), get);
    const { forImage: _, ...plain } = get;
    const fetched = await bed.orchestrator().get(bed.io('2'), plain);
    expect(fetched.result?.artifact).toBeDefined();
    expect(fetched.result?.cacheId).toBe(pulled.result?.cacheId);
  });

  test('[ORC-IMG1] gives its environment and user to the step, and needs no variables on the worker that pulled it', async () => {
    const [host] = workers({ one: 'any' });
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const noSource = () => Promise.reject(new Error('no such variable'));
    const image = stepImage(result?.image as PulledImage, noSource);
    const io = bed.io('2');
    await bed.orchestrator().task(io, { ...task, image, path: 'env' });
    expect([...(host?.specs.values() ?? [])].map((spec) => spec.image)).toEqual([{ reference: `a/b@${DIGEST}` }]);
    expect([...bed.records.sandboxes.values()].map(({ user }) => user)).toEqual(['app']);
  });

  test('[ORC-IMG7] is the resource cache of the next get, and the log says so as for any other get', async () => {
    const [host] = workers({ one: 'any' });
    const first = await bed.orchestrator().get(bed.io('1'), get);
    const io = bed.io('2');
    expect(await bed.orchestrator().get(io, get)).toEqual(first);
    expect(io.notices).toEqual([
      { kind: 'selected-worker', worker: 'one' },
      { kind: 'message', text: '\u001b[1;36mINFO: found existing resource cache\u001b[0m\n' },
    ]);
    expect(pulledBy(host)).toHaveLength(2);
  });

  test('[ORC-IMG2] is pulled by another worker that runs the step, with the password of its source', async () => {
    const [, south] = workers({ north: 'any', south: 'any' });
    const { result } = await bed.orchestrator().get(bed.io('1'), get);
    const image = stepImage({ ...(result?.image as PulledImage), worker: 'gone' });
    await bed.orchestrator().task(bed.io('2'), { ...task, image, path: 'false' });
    expect(pulledBy(bed.host)).toHaveLength(2);
    const stays = stepImage({ ...(result?.image as PulledImage), worker: 'south' });
    await bed.orchestrator().task(bed.io('3'), { ...task, image: stays, path: 'false' });
    expect(pulledBy(south)).toEqual([]);
    expect(south?.specs.size).toBe(1);
  });

  test('[ORC-IMG3] is fetched by the type where the host can not pull it, and the log says why', async () => {
    const [host] = workers({ one: 'any' });
    if (host) host.sidecar('store').refusal = 'the registry refuses it';
    const io = bed.io('1');
    const { result } = await bed.orchestrator().get(io, get);
    expect(result?.artifact).toBeDefined();
    expect(result?.image).toBeUndefined();
    expect(io.notices).toContainEqual({
      kind: 'message',
      text: `the worker one can't pull a/b@${DIGEST}, so the resource type fetches it: the registry refuses it`,
    });
  });

  test('[ORC-IMG3] is fetched on by another web if the type began to fetch it', async () => {
    const [host] = workers({ one: 'any' });
    if (host) host.sidecar('store').refusal = 'not now';
    const first = await bed.orchestrator().get(bed.io('1'), get);
    if (host) host.sidecar('store').refusal = undefined;
    const again = await bed.orchestrator().get(bed.io('1'), get);
    expect(again.result?.artifact).toEqual(first.result?.artifact);
    expect(pulledBy(host)).toHaveLength(1);
  });

  test.each<[string, Partial<GetRequest>]>([
    ['a get of a plan', { forImage: false }],
    ['params', { params: { format: 'oci' } }],
    ['an image of the type', { image: { kind: 'uri', uri: 'docker:///x', privileged: false } }],
    ['a version without a digest', { version: { ref: 'abc' } }],
    ['a field that hosts do not know', { source: { repository: 'a/b', aws_region: 'x' } }],
  ])('[ORC-IMG4] is fetched by the type: %s', async (_, change) => {
    const [host] = workers({ one: 'any' });
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...get, ...change });
    expect(result?.artifact).toBeDefined();
    expect(pulledBy(host)).toEqual([]);
  });

  test.each<[Record<string, 'any' | 'public' | undefined>, JsonObject, boolean]>([
    [{ one: 'public' }, get.source, false],
    [{ one: 'public' }, { repository: 'a/b', insecure: true }, false],
    [{ one: 'public' }, { repository: 'a/b', ca_certs: ['x'] }, false],
    [{ one: 'public' }, { repository: 'a/b', registry_mirror: { host: 'x' } }, false],
    [{ one: 'public' }, { repository: 'a/b', tag: 'x', insecure: false }, true],
    [{ one: undefined }, { repository: 'a/b' }, false],
    [{ one: 'any', two: 'public' }, get.source, false],
    [{ one: 'any', two: undefined }, { repository: 'a/b' }, false],
    [{ one: 'any', two: 'public' }, { repository: 'a/b' }, true],
  ])('[ORC-IMG5] workers %j and a source %j: pulled is %j', async (pulls, source, isPulled) => {
    workers(pulls);
    const { result } = await bed.orchestrator().get(bed.io('1'), { ...get, source });
    expect(result?.image !== undefined).toBe(isPulled);
  });
});

describe('a registry that does not answer', () => {
  let now = 0;
  const clock = { ...systemClock, elapsedMs: () => now };

  /** Two workers of which the first one's store waits for registries in vain. */
  function silentBed(): InMemoryHost {
    const [north, south] = ['north', 'south'].map((name) => new InMemoryHost(name, SCRIPTS)) as [
      InMemoryHost,
      InMemoryHost,
    ];
    for (const host of [north, south]) host.pulls = 'any';
    const store = north.sidecar('store');
    store.refusal = 'docker.io does not answer within 8 s';
    store.silentRegistry = true;
    bed = testBed({}, { hosts: [north, south], clock });
    return north;
  }

  async function isPulled(planId: string, source: JsonObject = get.source): Promise<boolean> {
    return (await bed.orchestrator().get(bed.io(planId), { ...get, source })).result?.image !== undefined;
  }

  test('[ORC-IMG6] is asked by the first get and not by those of the next minute, and the log says when it was silent', async () => {
    const north = silentBed();
    now = 5_000;
    expect(await isPulled('1')).toBe(false);
    now += 12_000;
    const io = bed.io('2');
    await bed.orchestrator().get(io, { ...get, source: { repository: 'c/d' } });
    expect(pulledBy(north)).toHaveLength(1);
    expect(io.notices).toContainEqual({
      kind: 'message',
      text: `the worker north can't pull c/d@${DIGEST}, so the resource type fetches it: docker.io did not answer north 12 s ago`,
    });
    north.sidecar('store').refusal = undefined;
    now += 48_000;
    expect(await isPulled('3', { repository: 'e/f' })).toBe(true);
    expect(pulledBy(north)).toHaveLength(2);
  });

  test('[ORC-IMG6] leaves other registries, and other ways to it, as they are', async () => {
    const north = silentBed();
    expect(await isPulled('1')).toBe(false);
    north.sidecar('store').refusal = undefined;
    expect(await isPulled('2', { repository: 'ghcr.io/a/b' })).toBe(true);
    expect(await isPulled('3', { repository: 'a/b', registry_mirror: { host: 'mirror.example' } })).toBe(true);
    expect(await isPulled('4', { repository: 'other/image' })).toBe(false);
  });

  test('[ORC-IMG6] differs from one that refuses the image, which is asked again', async () => {
    const north = silentBed();
    north.sidecar('store').silentRegistry = false;
    expect([await isPulled('1'), await isPulled('2', { repository: 'c/d' })]).toEqual([false, false]);
    expect(pulledBy(north)).toHaveLength(2);
  });
});

test('[ORC-IMG5] a worker whose steps use a proxy does not pull', async () => {
  const host = new InMemoryHost('one', SCRIPTS);
  host.pulls = 'any';
  bed = testBed({}, { hosts: [host], proxyEnv: { https_proxy: 'http://proxy' } });
  expect((await bed.orchestrator().get(bed.io('1'), get)).result?.artifact).toBeDefined();
});

test.each<[JsonObject, object | undefined]>([
  [{ repository: 'a' }, { repository: 'a', digest: DIGEST }],
  [
    {
      repository: 'a',
      insecure: true,
      ca_certs: ['pem'],
      registry_mirror: { host: 'm', username: 'u', password: 'p' },
    },
    {
      repository: 'a',
      digest: DIGEST,
      insecure: true,
      ca: ['pem'],
      mirror: { host: 'm', credentials: { username: 'u', password: 'p' } },
    },
  ],
  [
    { repository: 'a', username: 'u' },
    { repository: 'a', digest: DIGEST },
  ],
  [{ repository: 'a', username: 1, password: 'p' }, undefined],
  [{ repository: 'a', platform: { architecture: 'arm64' } }, undefined],
  [{ repository: 'a', registry_mirror: { host: 'm', port: 1 } }, undefined],
  [{ repository: 1 }, undefined],
  [{}, undefined],
])('[ORC-IMG4] the source %j is the request %j', (source, request) => {
  expect(pullRequestOf(source, DIGEST)).toEqual(request);
});
