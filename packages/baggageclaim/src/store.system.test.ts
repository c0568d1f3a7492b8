import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileBaggageclaim, compileSupervisor } from './testing/programs.ts';
import { never, type ServerProgram, TestSandbox } from './testing/sandboxes.ts';
import { TestStore } from './testing/stores.ts';

const programs: Record<string, ServerProgram> = {
  node: { runtime: 'node', command: [process.execPath, join(import.meta.dirname, 'main.ts')] },
};
let supervisor = '';
let scratch = '';
beforeAll(() => {
  supervisor = compileSupervisor();
  programs['bun'] = { runtime: 'bun', command: [compileBaggageclaim()] };
  scratch = mkdtempSync(join(tmpdir(), 'store-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function tarOf(files: Record<string, string>): Buffer {
  const dir = mkdtempSync(join(scratch, 'tree-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return execFileSync('tar', ['-C', dir, '-c', '.'], { maxBuffer: 1e9 });
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
}

async function membersOf(tar: ReadableStream<Uint8Array>): Promise<string[]> {
  const input = Buffer.from(await new Response(tar).arrayBuffer());
  return execFileSync('tar', ['-t'], { input, encoding: 'utf8' }).trim().split('\n').sort();
}

const IMAGE = { 'rootfs/bin/sh': 'a shell', 'metadata.json': '{"env":["A=b"],"user":"root"}' };

describe.each(['bun', 'node'])('on %s', (runtime) => {
  const start = () => TestStore.start(programs[runtime] as ServerProgram);

  test('put, get, file, list, delete', async () => {
    await using store = await start();
    const { client } = store;
    expect(await client.hasArtifact('a', never())).toBe(false);
    await client.putArtifact('a', streamOf(tarOf({ 'dir/file': 'text', other: 'x' })), never());
    expect(await client.hasArtifact('a', never())).toBe(true);
    expect(await membersOf(await client.readArtifact('a', never()))).toEqual(['./', './dir/', './dir/file', './other']);
    expect(Buffer.from((await client.readArtifactFile('a', 'dir/file', never())) ?? '').toString()).toBe('text');
    expect(await client.readArtifactFile('a', 'dir/nope', never())).toBeUndefined();
    expect(await client.listArtifacts(never())).toEqual(['a']);
    await client.deleteArtifact('a', never());
    await client.deleteArtifact('a', never());
    expect(await client.listArtifacts(never())).toEqual([]);
  });

  test('pull', async () => {
    await using store = await start();
    await using sandbox = await TestSandbox.start('get-1', programs[runtime] as ServerProgram, supervisor);
    mkdirSync(sandbox.path('get/sub'), { recursive: true });
    symlinkSync('nowhere', sandbox.path('get/sub/link'));
    const source = sandbox.client.sourceOf(sandbox.path('get'));
    await store.client.pullArtifact('a', [{ ...source, url: 'https://127.0.0.1:1/tree' }, source], never());
    expect(await membersOf(await store.client.readArtifact('a', never()))).toContain('./sub/link');
    const gone = [{ ...source, token: 'x.y' }];
    await expect(store.client.pullArtifact('b', gone, never())).rejects.toMatchObject({ code: 'unavailable' });
    expect(readdirSync(join(store.dir, 'incoming'))).toEqual([]);
  });

  test('images', async () => {
    await using store = await start();
    await store.client.putArtifact('a', streamOf(tarOf(IMAGE)), never());
    const answer = await store.client.makeImage('a', never());
    expect(answer).toMatchObject({ env: ['A=b'], user: 'root' });
    const fetched = async (path: string, headers = {}) => fetch(`${store.imageUrl}/v2/${path}`, { headers });
    expect((await fetched('')).status).toBe(200);
    const manifest = await fetched(`${answer.path}/manifests/${answer.digest}`);
    const bytes = Buffer.from(await manifest.arrayBuffer());
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(answer.digest);
    const { layers, config } = JSON.parse(bytes.toString());
    for (const { digest, size } of [config, ...layers]) {
      const blob = Buffer.from(await (await fetched(`${answer.path}/blobs/${digest}`)).arrayBuffer());
      expect(blob.length).toBe(size);
      expect(`sha256:${createHash('sha256').update(blob).digest('hex')}`).toBe(digest);
      const part = await fetched(`${answer.path}/blobs/${digest}`, { Range: 'bytes=10-19' });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(blob.subarray(10, 20));
    }
    expect((await fetched(`seaplane/${'0'.repeat(64)}/manifests/${answer.digest}`)).status).toBe(404);
    await store.stopServer('SIGKILL');
    await store.startServer();
    expect(await store.client.makeImage('a', never())).toEqual(answer);
    await store.client.deleteArtifact('a', never());
    expect((await fetched(`${answer.path}/manifests/${answer.digest}`)).status).toBe(404);
    expect(readdirSync(join(store.dir, 'images/blobs/sha256'))).toEqual([]);
  });
});
