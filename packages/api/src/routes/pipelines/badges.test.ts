import type { Pipeline } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedBuild, startedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

const P = '/api/v1/teams/team/pipelines/p';

let api: TestApi;
let pipeline: Pipeline;
beforeAll(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', 'jobs: [{ name: a, plan: [] }, { name: b, plan: [] }, { name: c, plan: [] }]');
  await setPipeline(api, 'empty', 'jobs: [{ name: a, plan: [] }]');
  await finishedBuild(api, pipeline.id, 'a', 'succeeded');
  await finishedBuild(api, pipeline.id, 'b', 'errored');
});
afterAll(() => api[Symbol.asyncDispose]());

const badge = async (path: string) => {
  const response = await api.get(`${path}/badge`, 'viewer');
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
  return /passing|failing|errored|aborted|unknown/.exec(await response.text())?.[0];
};

test('[API-BADGE1] the badge of a job shows the status of its last finished build', async () => {
  expect(await badge(`${P}/jobs/a`)).toBe('passing');
  expect(await badge(`${P}/jobs/b`)).toBe('errored');
  expect(await badge(`${P}/jobs/c`)).toBe('unknown');
});

test('[API-BADGE2] the badge of a pipeline shows the worst status of its jobs', async () => {
  expect(await badge(P)).toBe('errored');
  await finishedBuild(api, pipeline.id, 'a', 'failed');
  expect(await badge(P)).toBe('failing');
  expect(await badge('/api/v1/teams/team/pipelines/empty')).toBe('unknown');
});

test('[API-BADGE3] a long title makes the badge wider', async () => {
  const widthOf = async (title: string) =>
    Number(/width="(\d+)"/.exec(await (await api.get(`${P}/badge?title=${title}`, 'viewer')).text())?.[1]);
  expect(await widthOf('build')).toBe(await widthOf(''));
  expect(await widthOf('x'.repeat(25))).toBe((await widthOf('build')) + 20 * 7);
});

test('[API-BADGE3] the title of a badge is escaped', async () => {
  const svg = await (await api.get(`${P}/badge?title=${encodeURIComponent('<script>"&')}`, 'viewer')).text();
  expect(svg).toContain('&lt;script&gt;&#34;&amp;');
  expect(svg).not.toContain('<script>');
});

test('[API-BADGE4] an address without a team redirects to team main', async () => {
  const response = await api.get('/api/v1/pipelines/p%20x/jobs/j/badge?title=t');
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/api/v1/teams/main/pipelines/p%20x/jobs/j/badge?title=t');
});

test('[API-CC1] cc.xml lists the jobs that have a finished build', async () => {
  await startedBuild(api, pipeline.id, 'b');
  const response = await api.get('/api/v1/teams/team/cc.xml', 'viewer');
  expect(response.headers.get('content-type')).toBe('application/xml');
  const xml = await response.text();
  const projects = xml.match(/<Project [^>]*>/g) ?? [];
  expect(projects).toHaveLength(2);
  expect(projects[1]).toMatch(
    /^<Project activity="Building" lastBuildLabel="1" lastBuildStatus="Exception" lastBuildTime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ" name="p\/b" webUrl="https:\/\/ci.example.com\/teams\/team\/pipelines\/p\/jobs\/b">$/,
  );
  expect(projects[0]).toContain('activity="Sleeping"');
  expect(await (await api.get('/api/v1/teams/team/cc.xml')).text()).toBe('<Projects></Projects>');
  expect((await api.get('/api/v1/teams/none/cc.xml')).status).toBe(404);
});
