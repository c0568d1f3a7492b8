import { appendEvents, finishBuild, type Pipeline, startBuild } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../../api.ts';
import { createBuild, finishedBuild, PLAN, PUBLIC_PLAN, startedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

let api: TestApi;
let pipeline: Pipeline;
beforeAll(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', 'jobs: [{ name: j, plan: [] }, { name: shown, public: true, plan: [] }]');
});
afterAll(() => api[Symbol.asyncDispose]());

const open = (id: number, lastEventId = '') =>
  api.request('GET', `/api/v1/builds/${id}/events`, { as: 'viewer', headers: { 'Last-Event-ID': lastEventId } });

/** Reads events of a stream until one of the given kind has come. */
async function* events(response: Response): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    yield* parts;
  }
}

async function readUntil(response: Response, isLast: (event: string) => boolean): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events(response)) {
    all.push(event);
    if (isLast(event)) break;
  }
  return all;
}

const log = (payload: string) =>
  ({ event: 'log', data: { time: 1, origin: { id: '1', source: 'stdout' }, payload } }) as const;

test('[API-EVT1] the stream has all events, framed as fly reads them, then the end', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  await appendEvents(api.pool, id, [log('a "quoted"\nline')]);
  await finishBuild(api.pool, id, 'succeeded');
  const response = await open(id);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-atc-stream-version')).toBe('2.0');
  const all = await readUntil(response, (event) => event.includes('event: end'));
  expect(all).toEqual([
    expect.stringMatching(
      /^id: 0\nevent: event\ndata: \{"data":\{"status":"started","time":\d+\},"event":"status","version":"1.0","event_id":"0"\}$/,
    ),
    'id: 1\nevent: event\ndata: {"data":{"time":1,"origin":{"id":"1","source":"stdout"},"payload":"a \\"quoted\\"\\nline"},"event":"log","version":"5.1","event_id":"1"}',
    expect.stringMatching(/^id: 2\nevent: event\ndata: \{"data":\{"status":"succeeded",/),
    'id: 3\nevent: end\ndata',
  ]);
});

test('[API-EVT2] a client that reconnects gets the events after the last it has seen', async () => {
  const id = await finishedBuild(api, pipeline.id, 'j');
  const all = await readUntil(await open(id, '0'), (event) => event.includes('event: end'));
  expect(all.map((event) => event.split('\n')[0])).toEqual(['id: 1', 'id: 2']);
  expect((await open(id, 'x')).status).toBe(400);
});

test('[API-EVT10] the first events are those of the stream, as many as fit, and say whether these are all', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  const first = async () => {
    const response = await api.get(`/api/v1/seaplane/builds/${id}/first-events`, 'viewer');
    return (await response.json()) as { events: { event_id: string; event: string; data: unknown }[]; ended: boolean };
  };
  const line = log('x'.repeat(20_000));
  await appendEvents(api.pool, id, [line]);
  const before = await first();
  expect(before.ended).toBe(false);
  expect(before.events).toEqual([
    expect.objectContaining({ event_id: '0', event: 'status' }),
    { event_id: '1', event: 'log', version: '5.1', data: line.data },
  ]);
  await finishBuild(api.pool, id, 'succeeded');
  expect((await first()).ended).toBe(true);
  const long = await startedBuild(api, pipeline.id, 'j');
  await appendEvents(api.pool, long, [line, line]);
  await finishBuild(api.pool, long, 'succeeded');
  const cut = await api.get(`/api/v1/seaplane/builds/${long}/first-events`, 'viewer');
  expect(await cut.json()).toMatchObject({ events: [{ event_id: '0' }, { event_id: '1' }], ended: false });
});

test('[API-EVT9] a page names the last event in the address, and a newer one in the header', async () => {
  const id = await finishedBuild(api, pipeline.id, 'j');
  const after = async (query: string, lastEventId = '') => {
    const headers = { 'Last-Event-ID': lastEventId };
    const response = await api.request('GET', `/api/v1/builds/${id}/events?after=${query}`, { as: 'viewer', headers });
    const all = await readUntil(response, (event) => event.includes('event: end'));
    return all.map((event) => event.split('\n')[0]);
  };
  expect(await after('')).toEqual(['id: 0', 'id: 1', 'id: 2']);
  expect(await after('0')).toEqual(['id: 1', 'id: 2']);
  expect(await after('0', '1')).toEqual(['id: 2']);
  expect((await api.get(`/api/v1/builds/${id}/events?after=x`, 'viewer')).status).toBe(400);
});

test('[API-EVT3] the stream of a pending build waits, and events are sent as they happen', async () => {
  const id = await createBuild(api, pipeline.id, 'j');
  const stream = events(await open(id));
  const first = stream.next();
  await api.pool.query('SELECT 1');
  await startBuild(api.pool, id, { plan: PLAN, publicPlan: PUBLIC_PLAN });
  expect((await first).value).toContain('"status":"started"');
  await appendEvents(api.pool, id, [log('now')]);
  expect((await stream.next()).value).toContain('"payload":"now"');
  await finishBuild(api.pool, id, 'failed');
  expect((await stream.next()).value).toContain('"status":"failed"');
  expect((await stream.next()).value).toContain('event: end');
  await stream.return();
});

test('[API-EVT7] all clients of a build get the same events', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  const clients = await Promise.all(Array.from({ length: 20 }, () => open(id)));
  const all = clients.map((client) => readUntil(client, (event) => event.includes('event: end')));
  await appendEvents(api.pool, id, [log('a'), log('b')]);
  await finishBuild(api.pool, id, 'succeeded');
  const [first, ...others] = await Promise.all(all);
  expect(first?.map((event) => event.split('\n')[0])).toEqual(['id: 0', 'id: 1', 'id: 2', 'id: 3', 'id: 4']);
  for (const other of others) expect(other).toEqual(first);
});

test('[API-EVT4] the stream of a build with reaped events has only the end', async () => {
  const id = await finishedBuild(api, pipeline.id, 'j');
  await api.pool.query('DELETE FROM build_event WHERE build_id = $1', [id]);
  const all = await readUntil(await open(id), (event) => event.includes('event: end'));
  expect(all).toEqual(['id: 0\nevent: end\ndata']);
});

test('[API-EVT5] in a public pipeline everybody reads the logs of public jobs, and only those', async () => {
  const hidden = await finishedBuild(api, pipeline.id, 'j');
  const shown = await finishedBuild(api, pipeline.id, 'shown');
  const status = async (id: number, what: string, as?: 'stranger') => {
    const response = await api.get(`/api/v1/builds/${id}${what}`, as);
    await response.body?.cancel();
    return response.status;
  };
  const first = async (id: number, as?: 'stranger') =>
    (await api.get(`/api/v1/seaplane/builds/${id}/first-events`, as)).status;
  expect(await status(shown, '/events')).toBe(401);
  await api.put('/api/v1/teams/team/pipelines/p/expose', 'member');
  for (const what of ['/events', '/plan', '/preparation', '/artifacts']) {
    expect(await status(shown, what)).toBe(200);
    expect(await status(hidden, what)).toBe(401);
    expect(await status(hidden, what, 'stranger')).toBe(403);
  }
  expect([await first(shown), await first(hidden), await first(hidden, 'stranger')]).toEqual([200, 401, 403]);
  for (const what of ['', '/resources']) expect(await status(hidden, what)).toBe(200);
});

test('[API-EVT8] a client, and all together, have as many streams as they may; others are refused until one is closed', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  await api.put('/api/v1/teams/team/pipelines/p/expose', 'member');
  const shown = await startedBuild(api, pipeline.id, 'shown');
  const app = createApi({ ...api.context, streamLimits: { perClient: 2, inAll: 4 } });
  const watch = async (as?: TestUser, build = id, method = 'GET') => {
    const headers: Record<string, string> = as ? { Authorization: `Bearer ${await api.token(as)}` } : {};
    return app.request(`/api/v1/builds/${build}/events`, { headers, method });
  };
  for (let i = 0; i < 5; i++) expect((await watch('viewer', id, 'HEAD')).status).toBe(200);
  const [first] = [await watch('viewer'), await watch('viewer')];
  const mine = await watch('viewer');
  expect({ status: mine.status, text: await mine.text(), again: mine.headers.get('Retry-After') }).toEqual({
    status: 429,
    text: 'You have 2 streams of events open, and may have 2. Close some first.',
    again: '10',
  });
  expect((await watch(undefined, shown)).status).toBe(200);
  expect((await watch('member')).status).toBe(200);
  const all = await watch('owner');
  expect([all.status, await all.text()]).toEqual([503, expect.stringContaining('This server has 4 streams')]);
  await first?.body?.cancel();
  expect((await watch('viewer')).status).toBe(200);
});

test('[API-EVT6] the API stops watching for a client that leaves, or only sends HEAD', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  const { notifications } = api.context;
  let watching = 0;
  const counted: typeof notifications = {
    subscribe(channel, listener) {
      const subscription = notifications.subscribe(channel, listener);
      watching++;
      return {
        [Symbol.dispose]() {
          subscription[Symbol.dispose]();
          watching--;
        },
      };
    },
  };
  const app = createApi({ ...api.context, notifications: counted });
  const headers = { Authorization: `Bearer ${await api.token('viewer')}` };
  const response = await app.request(`/api/v1/builds/${id}/events`, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  expect(watching).toBe(1);
  await reader.cancel();
  expect(watching).toBe(0);
  const head = await app.request(`/api/v1/builds/${id}/events`, { method: 'HEAD', headers });
  expect({ status: head.status, watching }).toEqual({ status: 200, watching: 0 });
});
