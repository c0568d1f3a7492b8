import { gunzipSync, gzipSync } from 'node:zlib';
import { createUploadedArtifact, type WorkerArtifact } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../../api-error.ts';
import type { UploadRequest } from '../../context.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

let api: TestApi;
const stored = new Map<string, Buffer>();
let uploads: Omit<UploadRequest, 'tar'>[] = [];
beforeAll(async () => {
  api = await createTestApi({
    artifacts: {
      async upload({ tar, ...request }) {
        uploads.push(request);
        if (request.tags.includes('nowhere')) throw new ApiError('unavailable', "no workers satisfying: tag 'nowhere'");
        const bytes = Buffer.concat(await Array.fromAsync(tar));
        const artifactId = `a-${stored.size}`;
        await api.pool.query("INSERT INTO artifact (id, worker_name, stored) VALUES ($1, 'w', true)", [artifactId]);
        stored.set(artifactId, bytes);
        return createUploadedArtifact(api.pool, { teamId: request.teamId, name: 'upload', artifactId });
      },
      async download({ artifactId }: WorkerArtifact) {
        const bytes = stored.get(artifactId);
        return bytes && new Blob([Uint8Array.from(bytes)]).stream();
      },
    },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const A = '/api/v1/teams/team/artifacts';
const tar = Buffer.from('a plain tar archive '.repeat(50_000));

async function upload(bytes: Buffer, as: TestUser = 'member', query = ''): Promise<Response> {
  const headers = { Authorization: `Bearer ${await api.token(as)}`, 'Content-Type': 'application/octet-stream' };
  return api.app.request(`${A}${query}`, { method: 'POST', headers, body: Uint8Array.from(bytes) });
}

async function uploadTar(): Promise<number> {
  return ((await (await upload(gzipSync(tar))).json()) as { id: number }).id;
}

test('[API-ART1] an upload is unpacked as it comes, and gets a number', async () => {
  uploads = [];
  const response = await upload(gzipSync(tar), 'member', '?platform=linux&tags=a&tags=b');
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({
    id: expect.any(Number),
    name: 'upload',
    build_id: 0,
    created_at: expect.any(Number),
  });
  expect(uploads).toEqual([{ teamId: api.team.id, platform: 'linux', tags: ['a', 'b'] }]);
  expect([...stored.values()].at(-1)?.equals(tar)).toBe(true);
});

test('[API-ART2] a download is packed as it is sent', async () => {
  const response = await api.get(`${A}/${await uploadTar()}`, 'member');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(gunzipSync(await response.arrayBuffer()).equals(tar)).toBe(true);
});

test('[API-ART3] an upload that is not gzip’d, or breaks off, is refused', async () => {
  for (const bytes of [tar, gzipSync(tar).subarray(0, 100)]) {
    const response = await upload(bytes);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("the upload is not a gzip'd archive");
  }
  expect(api.failures).toEqual([]);
});

test('[API-ART6] an upload that no worker can keep is refused with the reason, which is logged', async () => {
  const response = await upload(gzipSync(tar), 'member', '?tags=nowhere');
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("no workers satisfying: tag 'nowhere'");
  expect(api.failures).toEqual([expect.objectContaining({ code: 'unavailable' })]);
});

test('[API-ART4] only the artifact’s team can download it', async () => {
  const id = await uploadTar();
  expect((await api.get(`/api/v1/teams/other/artifacts/${id}`, 'stranger')).status).toBe(404);
  expect((await api.get(`${A}/${id}`, 'stranger')).status).toBe(403);
  expect((await api.get(`${A}/${id}`, 'viewer')).status).toBe(403);
});

test('[API-ART5] an artifact that is gone is answered with 404', async () => {
  const id = await uploadTar();
  stored.clear();
  for (const wanted of [id, 99_999, 'x']) expect((await api.get(`${A}/${wanted}`, 'member')).status).toBe(404);
});
