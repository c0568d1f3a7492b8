import { createOneOffBuild, type Pipeline, pausePipeline, reportWorker, setWall } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveAnswer } from '../../answers/live.ts';
import { createApi } from '../../api.ts';
import { LiveChanges, type LiveTimes } from '../../live/live-changes.ts';
import { finishedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = 'jobs: [{ name: j, plan: [] }]';

let api: TestApi;
let hidden: Pipeline;
let shown: Pipeline;
beforeAll(async () => {
  api = await createTestApi();
  hidden = await setPipeline(api, 'hidden', YAML);
  shown = await setPipeline(api, 'shown', YAML);
  await api.put('/api/v1/teams/team/pipelines/shown/expose', 'member');
});
afterAll(() => api[Symbol.asyncDispose]());

/** The stream of a user, or of nobody. The first change, which names everything, has come. */
async function open(as?: TestUser) {
  const response = await api.get('/api/v1/seaplane/live', as);
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const next = async (): Promise<LiveAnswer> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      const frame = text.slice(0, end);
      if (end >= 0) text = text.slice(end + 2);
      const data = end >= 0 && /^event: changed\ndata: (.*)$/.exec(frame)?.[1];
      if (data) return JSON.parse(data) as LiveAnswer;
      if (end >= 0) continue;
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream has ended');
      text += decoder.decode(value, { stream: true });
    }
  };
  expect(await next()).toEqual({ all: true });
  /** Everything until the message to everybody, which this sends, merged. */
  const all = async () => {
    await setWall(api.pool, 'now');
    const changes: Record<string, unknown> = {};
    for (;;) {
      const change = await next();
      const pipelines = [...((changes['pipelines'] as number[]) ?? []), ...(change.pipelines ?? [])];
      Object.assign(changes, change, pipelines.length > 0 && { pipelines: [...new Set(pipelines)] });
      if (change.wall) return changes;
    }
  };
  return { next, all, close: () => reader.cancel() };
}

test('[API-LIVE1] the stream names what has changed', async () => {
  const stream = await open('viewer');
  await pausePipeline(api.pool, hidden.id, 'me');
  expect(await stream.next()).toEqual({ pipelines: [hidden.id] });
  await finishedBuild(api, shown.id, 'j');
  expect((await stream.next()).pipelines).toEqual([shown.id]);
  await stream.close();
  const lists = await open('viewer');
  await api.put('/api/v1/teams/team/pipelines/hidden/rename', 'member', { name: 'renamed' });
  expect(await lists.next()).toEqual({ list: true });
  await createOneOffBuild(api.pool, { teamId: api.team.id }, { plan: { id: '1', do: [] }, publicPlan: {} });
  expect(await lists.next()).toEqual({ teams: ['team'] });
  await setWall(api.pool, 'hello');
  expect(await lists.next()).toEqual({ wall: true });
  await lists.close();
});

test('[API-LIVE2] nobody learns of a pipeline, a team or a worker that the requester may not see', async () => {
  const streams = await Promise.all([open(), open('stranger'), open('viewer'), open('admin')]);
  await Promise.all([finishedBuild(api, hidden.id, 'j'), finishedBuild(api, shown.id, 'j')]);
  await createOneOffBuild(api.pool, { teamId: api.team.id }, { plan: { id: '1', do: [] }, publicPlan: {} });
  await reportWorker(api.pool, {
    name: `w${Math.random()}`,
    entry: '',
    platform: 'linux',
    tags: [],
    version: '2.5',
    baseTypes: [],
    problems: [],
    usable: true,
    ttlMs: 600_000,
  });
  // Both pipelines have been passed on to one who sees them.
  const seen = new Set<number>();
  while (seen.size < 2) for (const id of (await streams[3].next()).pipelines ?? []) seen.add(id);
  expect([...seen].toSorted()).toEqual([hidden.id, shown.id].toSorted());
  const [nobody, stranger, viewer] = [await streams[0].all(), await streams[1].all(), await streams[2].all()];
  expect(nobody).toEqual({ pipelines: [shown.id], wall: true });
  expect(stranger).toEqual({ pipelines: [shown.id], workers: true, wall: true });
  expect(viewer).toEqual({ pipelines: expect.any(Array), teams: ['team'], workers: true, wall: true });
  expect((viewer['pipelines'] as number[]).toSorted()).toEqual([hidden.id, shown.id].toSorted());
  await Promise.all(streams.map(({ close }) => close()));
});

const NEVER = new AbortController().signal;
const ANONYMOUS = { kind: 'anonymous' } as const;

/** A source of notifications that tests write to, and a database that counts questions and knows public pipelines alone. */
function manual() {
  const listeners = new Map<string, (payload: string | undefined) => void>();
  const questions: number[][] = [];
  const rows = (ids: number[]) => ids.map((id) => ({ id, teamId: 1, public: true }));
  const query = async (_: string, [ids]: [number[]]) => {
    questions.push(ids);
    return { rows: rows(ids) };
  };
  return {
    questions,
    listeners,
    tell: (payload: string | undefined) => listeners.get('changes')?.(payload),
    dependencies: {
      pool: { query } as never,
      notifications: {
        subscribe(channel: string, listener: (payload: string | undefined) => void) {
          listeners.set(channel, listener);
          return { [Symbol.dispose]: () => void listeners.delete(channel) };
        },
      },
    },
  };
}

const TIMES: LiveTimes = { restMs: 0, beatMs: 600_000, longestMs: 600_000 };

test('[API-LIVE3] pages share one listener and one question for each round; a slow page gets one merged change', async () => {
  const { dependencies, questions, listeners, tell } = manual();
  const changes = new LiveChanges({ ...dependencies, clock: { elapsedMs: () => 0 } }, TIMES);
  const pages = Array.from({ length: 50 }, () => changes.watch(ANONYMOUS, NEVER));
  for (const page of pages) expect((await page.next()).value).toEqual({ all: true });
  expect([...listeners.keys()].toSorted()).toEqual(['changes', 'workers']);
  for (const id of [1, 2, 2, 3]) tell(`pipeline:${id}`);
  await expect.poll(() => questions.flat()).toEqual([1, 2, 3]);
  expect(questions.length).toBeLessThanOrEqual(2);
  await expect.poll(async () => (await pages[0]?.next())?.value?.pipelines?.at(-1)).toBe(3);
  expect((await pages[1]?.next())?.value).toEqual({ pipelines: [1, 2, 3] });
  for (let id = 0; id < 300; id++) tell(`pipeline:${id}`);
  await expect.poll(() => questions.flat().length).toBe(303);
  expect((await pages[2]?.next())?.value).toEqual({ all: true });
  for (const page of pages) await page.return();
  expect([...listeners.keys()]).toEqual([]);
});

test('[API-LIVE4] every page reads everything again after notifications were lost, or the database was away', async () => {
  const { dependencies, tell } = manual();
  const away = { query: () => Promise.reject(new Error('away')) } as never;
  const changes = new LiveChanges({ ...dependencies, pool: away, clock: { elapsedMs: () => 0 } }, TIMES);
  const page = changes.watch(ANONYMOUS, NEVER);
  await page.next();
  tell(undefined);
  expect((await page.next()).value).toEqual({ all: true });
  tell('pipeline:1');
  expect((await page.next()).value).toEqual({ all: true });
  await page.return();
});

test('[API-LIVE5] a connection has signs of life, and an end', async () => {
  let now = 0;
  const clock = { elapsedMs: () => now };
  const { dependencies, listeners } = manual();
  const changes = new LiveChanges({ ...dependencies, clock }, { restMs: 0, beatMs: 1, longestMs: 1_000 });
  const page = changes.watch(ANONYMOUS, NEVER);
  await page.next();
  expect(await page.next()).toEqual({ value: undefined, done: false });
  now = 1_000;
  expect(await page.next()).toEqual({ value: undefined, done: true });
  expect(listeners.size).toBe(0);
});

test('[API-LIVE5] a client has as many streams as it may, until one is closed', async () => {
  const app = createApi({ ...api.context, streamLimits: { perClient: 2, inAll: 4 } });
  const headers = { Authorization: `Bearer ${await api.token('viewer')}` };
  const watch = (method = 'GET') => app.request('/api/v1/seaplane/live', { headers, method });
  for (let i = 0; i < 5; i++) expect((await watch('HEAD')).status).toBe(200);
  const [first] = [await watch(), await watch()];
  expect((await watch()).status).toBe(429);
  await first.body?.cancel();
  expect((await watch()).status).toBe(200);
});
