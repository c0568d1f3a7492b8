import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { RegistryDouble, testImage, testLayer } from '@seaplane/oci/testing';
import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { supervisorProgram } from '../../testing/programs.ts';
import { never, TestSandbox } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';
import { TestStore } from '../../testing/stores.ts';
import { membersOf, streamOf, tarOf } from '../../testing/tars.ts';

const test = anyTest.skipIf(whyNoRoot());

let programs: Record<ServerRuntime, ServerProgram>;
let supervisor = '';
let scratch = '';
beforeAll(async () => {
  supervisor = supervisorProgram();
  programs = serverPrograms();
  scratch = mkdtempSync(join(tmpdir(), 'store-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const IMAGE = {
  'rootfs/bin/sh': 'a shell',
  'rootfs/etc/hosts': 'of a container',
  'rootfs/x/etc/hosts': '',
  'metadata.json': '{"env":["A=b"],"user":"root"}',
};

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const start = () => TestStore.start(programs[runtime]);

  test('[BC17] a put artifact is stored; half an archive is not', async () => {
    await using store = await start();
    const { client } = store;
    expect(await client.hasArtifact('a', never())).toBe(false);
    const tar = tarOf({ 'dir/file': 'text', other: 'x'.repeat(300_000) });
    await client.putArtifact('a', 'team', streamOf(tar), never());
    await client.putArtifact('a', 'team', streamOf(tarOf({ another: '' })), never());
    expect(await client.hasArtifact('a', never())).toBe(true);
    expect(await membersOf(await client.readArtifact('a', never()))).toEqual(['./', './dir/', './dir/file', './other']);
    for (const bytes of [tar.subarray(0, 200_000), tar.subarray(0, 1024), Buffer.from('no archive'.repeat(100))]) {
      await expect(client.putArtifact('b', 'team', streamOf(bytes), never())).rejects.toMatchObject({
        code: 'bad-request',
      });
    }
    expect(await client.hasArtifact('b', never())).toBe(false);
    expect(readdirSync(join(store.dir, 'incoming'))).toEqual([]);
  });

  test('[BC17] no archive reaches out of its own directory', async () => {
    await using store = await start();
    const { client } = store;
    await client.putArtifact('victim', 'team', streamOf(tarOf({ secret: '' })), never());
    const dir = mkdtempSync(join(scratch, 'hostile-'));
    const tar = (...args: string[]) => execFileSync('tar', args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] });
    for (const [name, target] of Object.entries({
      up: '../../artifacts/victim',
      far: `${store.dir}/artifacts/victim`,
    })) {
      symlinkSync(target, join(dir, name));
      tar('-cf', `${name}.tar`, name);
      rmSync(join(dir, name));
      mkdirSync(join(dir, name));
      writeFileSync(join(dir, name, 'evil'), '');
      tar('-rf', `${name}.tar`, `${name}/evil`); // through the link
      tar('-P', '-cf', `${name}-name.tar`, `--transform=s,^${name},${target},`, `${name}/evil`);
      tar('-P', '-cf', `${name}-hard.tar`, `--transform=s,^${name},${target},h`, `--transform=s,evil$,secret,h`, name);
    }
    const archives = readdirSync(dir).filter((file) => file.endsWith('.tar'));
    expect(archives).toHaveLength(6);
    for (const name of archives) {
      await client
        .putArtifact(`hostile-${name}`, 'team', streamOf(readFileSync(join(dir, name))), never())
        .catch(() => {});
      expect(await membersOf(await client.readArtifact('victim', never()))).toEqual(['./', './secret']);
    }
  });

  test('[BC17] a store pulls an artifact from its sources, once', async () => {
    await using store = await start();
    await using sandbox = await TestSandbox.start('get-1', programs[runtime], supervisor);
    mkdirSync(sandbox.path('get/sub'), { recursive: true });
    symlinkSync('nowhere', sandbox.path('get/sub/link'));
    const source = sandbox.client.sourceOf(sandbox.path('get'));
    const from = [{ ...source, url: 'https://127.0.0.1:1/tree' }, source];
    await Promise.all([1, 2].map(() => store.client.pullArtifact('a', 'team', from, never())));
    await store.client.pullArtifact('a', 'team', [], never());
    expect(await membersOf(await store.client.readArtifact('a', never()))).toContain('./sub/link');
    const refused = store.client.pullArtifact('b', 'team', [{ ...source, token: 'x.y' }], never());
    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('not signed'),
    });
    expect(readdirSync(join(store.dir, 'incoming'))).toEqual([]);
  });

  test('[BC18] single files, the list, and deletion', async () => {
    await using store = await start();
    const { client } = store;
    for (const id of ['b', 'a']) await client.putArtifact(id, 'team', streamOf(tarOf({ 'dir/file': id })), never());
    expect(Buffer.from((await client.readArtifactFile('a', 'dir/file', 1024, never())) ?? '').toString()).toBe('a');
    expect(await client.readArtifactFile('a', 'dir/none', 1024, never())).toBeUndefined();
    expect(await client.readArtifactFile('a', '../b/dir/file', 1024, never())).toBeUndefined();
    await expect(client.readArtifactFile('a', 'dir', 1024, never())).rejects.toMatchObject({ code: 'bad-request' });
    expect(await client.listArtifacts(never())).toEqual(['a', 'b']);
    for (let i = 0; i < 2; i++) await client.deleteArtifact('a', never());
    expect(await client.listArtifacts(never())).toEqual(['b']);
    await expect(client.readArtifact('a', never())).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC18] a sandbox pulls with a token for one artifact, which another artifact refuses', async () => {
    await using store = await start();
    await using sandbox = await TestSandbox.start('task-1', programs[runtime], supervisor);
    for (const id of ['a', 'b']) await store.client.putArtifact(id, 'team', streamOf(tarOf({ file: id })), never());
    const source = store.client.artifactSource('a');
    const load = (url: string, id: string) =>
      sandbox.result({
        id,
        path: 'cat',
        args: ['in/file'],
        inputs: [{ path: sandbox.path('in'), from: [{ ...source, url }] }],
      });
    expect((await load(source.url, 'mine')).stdout).toBe('a');
    const { end } = await load(source.url.replace(/a$/, 'b'), 'other');
    expect(end).toMatchObject({ cause: 'input', message: expect.stringContaining('not for read:/artifacts/b') });
  });

  test('[BC19] an image is the same for the same tree, and keeps its name', async () => {
    await using store = await start();
    const { client } = store;
    await client.putArtifact('a', 'team', streamOf(tarOf(IMAGE)), never());
    await client.putArtifact(
      'same',
      'team',
      streamOf(tarOf({ ...IMAGE, 'rootfs/etc/hosts': 'of another container' })),
      never(),
    );
    await client.putArtifact('other', 'team', streamOf(tarOf({ ...IMAGE, 'rootfs/bin/sh': 'another' })), never());
    const [answer, again] = await Promise.all([1, 2].map(() => client.makeImage('a', 'team', never())));
    expect(answer).toEqual(again);
    expect(answer).toMatchObject({ env: ['A=b'], user: 'root' });
    expect(answer?.path).toMatch(/^seaplane\/[0-9a-f]{64}$/);
    expect(answer?.path).not.toContain(answer?.digest.slice('sha256:'.length));
    expect(await client.makeImage('same', 'team', never())).toEqual(answer);
    const other = await client.makeImage('other', 'team', never());
    expect([other.digest, other.path]).not.toContain(answer?.digest);
    expect(other.path).not.toBe(answer?.path);
    await store.stopServer('SIGKILL');
    await store.startServer();
    expect(await store.client.makeImage('a', 'team', never())).toEqual(answer);
  });

  test('[BC19] an artifact that is not an image is refused with what is missing', async () => {
    await using store = await start();
    await store.client.putArtifact('a', 'team', streamOf(tarOf({ 'rootfs/x': '' })), never());
    await expect(store.client.makeImage('a', 'team', never())).rejects.toThrow('Is the image in rootfs format?');
    await expect(store.client.makeImage('b', 'team', never())).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC54] reads the configuration of an image of a registry', async () => {
    await using registry = await RegistryDouble.start();
    await using store = await start();
    const image = testImage([await testLayer({ x: 'x' }, 'gzip')], { Env: ['A=b'], User: 'app', Cmd: ['serve'] });
    registry.add('a/b', '1', image);
    const provide = (repository: string) =>
      store.client.provideRegistryImage({ repository, digest: image.digest }, () => {}, never());
    const answer = { reference: `${registry.host}/a/b@${image.digest}`, env: ['A=b'], user: 'app', command: ['serve'] };
    expect(await provide(`${registry.host}/a/b`)).toEqual(answer);
    await expect(provide(`${registry.host}/a/none`)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('[BC20] a kubelet finds manifest and blobs under the name, and nothing else', async () => {
    await using store = await start();
    await store.client.putArtifact('a', 'team', streamOf(tarOf(IMAGE)), never());
    const { path, digest } = await store.client.makeImage('a', 'team', never());
    const get = (rest: string, init: RequestInit = {}) => fetch(`${store.imageUrl}/v2/${rest}`, init);
    expect((await get('')).status).toBe(200);
    const head = await get(`${path}/manifests/${digest}`, { method: 'HEAD' });
    const manifest = Buffer.from(await (await get(`${path}/manifests/${digest}`)).arrayBuffer());
    expect(sha256(manifest)).toBe(digest);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'application/vnd.oci.image.manifest.v1+json',
      'content-length': String(manifest.length),
      'docker-content-digest': digest,
    });
    const { layers, config } = JSON.parse(manifest.toString());
    for (const { digest: blobDigest, size } of [config, ...layers]) {
      const blob = Buffer.from(await (await get(`${path}/blobs/${blobDigest}`)).arrayBuffer());
      expect([sha256(blob), blob.length]).toEqual([blobDigest, size]);
      const part = await get(`${path}/blobs/${blobDigest}`, { headers: { Range: 'bytes=10-19' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${size}`]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(blob.subarray(10, 20));
      expect((await get(`${path}/blobs/${blobDigest}`, { headers: { Range: `bytes=${size}-` } })).status).toBe(416);
    }
    for (const wrong of [
      `seaplane/${'0'.repeat(64)}/manifests/${digest}`,
      `seaplane/${'0'.repeat(64)}/blobs/${config.digest}`,
      `${path}/manifests/latest`,
      `${path}/blobs/${digest}`,
      `${path}/blobs/sha256:${'0'.repeat(64)}`,
      `${path}/tags/list`,
      '_catalog',
    ]) {
      expect([wrong, (await get(wrong)).status]).toEqual([wrong, 404]);
    }
    for (const route of ['/artifacts', '/health', '/images/a']) {
      expect((await fetch(store.imageUrl + route)).status).toBe(404);
    }
  });

  test('[BC20] deleting an artifact deletes the blobs that no other image has', async () => {
    await using store = await start();
    const { client } = store;
    for (const id of ['a', 'same']) {
      await client.putArtifact(id, 'team', streamOf(tarOf(IMAGE)), never());
      await client.makeImage(id, 'team', never());
    }
    const { path, digest } = await client.makeImage('a', 'team', never());
    const url = () => `${store.imageUrl}/v2/${path}/manifests/${digest}`;
    await client.deleteArtifact('a', never());
    expect((await fetch(url())).status).toBe(200);
    await client.deleteArtifact('same', never());
    expect((await fetch(url())).status).toBe(404);
    expect(readdirSync(join(store.dir, 'images/blobs/sha256'))).toEqual([]);
  });

  test('[BC22] a store logs what it holds when it starts', async () => {
    await using store = await start();
    expect(store.loggedUsage).toMatch(/^holds 0 artifacts and has [0-9]+\.[0-9] GB left$/);
    await store.client.putArtifact('a', 'team', streamOf(tarOf({ file: '' })), never());
    await store.stopServer('SIGTERM');
    await store.startServer();
    expect(store.loggedUsage).toMatch(/^holds 1 artifact and has /);
  });

  test('[BC21] the program exits on SIGTERM, and prints why it cannot start', async () => {
    await using store = await start();
    expect(await store.stopServer('SIGTERM')).toEqual([0, null]);
    await store.startServer();
    const [command = '', ...args] = programs[runtime].command;
    const run = (env: NodeJS.ProcessEnv) =>
      spawnSync(command, args, { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' });
    expect(run({})).toMatchObject({ status: 1, stderr: expect.stringMatching(/^SEAPLANE_HANDLE is not set\n/) });
    const wrong = run({ SEAPLANE_HANDLE: 'x', SEAPLANE_PUBLIC_KEY: 'short', SEAPLANE_AUTHORITY_KEY: 'x' });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('not an Ed25519 public key') });
  });
});
