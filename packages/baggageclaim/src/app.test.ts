import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from './app.ts';
import { openVolumes } from './volumes.ts';

let scratch = '';
let root = '';
let app: ReturnType<typeof createApp>;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'baggageclaim-'));
  root = join(scratch, 'root');
  app = createApp({ volumes: await openVolumes(root), version: '1.2.3', uptime: () => 42 });
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

async function tarOf(files: Record<string, string>, ...flags: string[]): Promise<Buffer> {
  const dir = await mkdtemp(join(scratch, 'tree-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return execFileSync('tar', ['-C', dir, ...flags, '-c', '.'], { maxBuffer: 1e8 });
}

function put(name: string, body: Uint8Array | ReadableStream | null, headers: Record<string, string> = {}) {
  return app.request(`/volumes/${name}`, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit);
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await app.request(`/volumes/${path}`, { headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

function members(tar: Buffer): string[] {
  return execFileSync('tar', ['-t'], { input: tar, encoding: 'utf8' }).trim().split('\n').sort();
}

test('[BC1] health', async () => {
  const response = await app.request('/health');
  expect(await response.json()).toEqual({ version: '1.2.3', protocol: 1, uptimeSeconds: 42 });
});

/** Bare machines have GNU tar but no zstd; the image's own test covers it there. */
const ENCODINGS = spawnSync('zstd', ['--version']).status === 0 ? ['identity', 'zstd'] : ['identity'];

test.each(ENCODINGS)('[BC2] a volume comes back as it went in (%s)', async (encoding) => {
  const tar = await tarOf({ 'dir/file': 'text', script: '#!/bin/sh\n' }, '--mode=u+s');
  const body = encoding === 'zstd' ? zstdCompressSync(tar) : tar;
  expect((await put('v', body, { 'Content-Encoding': encoding })).status).toBe(201);
  expect((await stat(join(root, 'v/script'))).mode & 0o4000).toBe(0o4000);
  const back = await get('v', { 'Accept-Encoding': encoding });
  expect(back.headers.get('Content-Encoding')).toBe(encoding === 'zstd' ? 'zstd' : null);
  expect(members(encoding === 'zstd' ? zstdDecompressSync(back.body) : back.body)).toEqual(members(tar));
});

test('[BC2] an archive may end before its stream does', async () => {
  const tar = await tarOf({ file: 'text' });
  const padding = Buffer.alloc(1_000_000);
  const body = ReadableStream.from([tar, padding, padding, padding]);
  expect((await put('v', body)).status).toBe(201);
  expect(await readdir(join(root, 'v'))).toEqual(['file']);
});

test('[BC2] another encoding is refused', async () => {
  expect((await put('v', await tarOf({}), { 'Content-Encoding': 'gzip' })).status).toBe(415);
});

describe('whole or not at all', () => {
  async function expectNothing() {
    expect(await readdir(root)).toEqual(['.incoming']);
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
  }

  test('[BC3] a broken or cut archive leaves nothing', async () => {
    const tar = await tarOf({ big: 'x'.repeat(300_000) });
    const bodies = [Buffer.from('no archive at all'.repeat(100)), tar.subarray(0, 200_000), null];
    for (const body of bodies) expect((await put('v', body)).status).toBe(400);
    expect((await put('v', tar, { 'Content-Encoding': 'zstd' })).status).toBe(400);
    await expectNothing();
  });

  test('[BC3] a client that goes away leaves nothing', async () => {
    const tar = await tarOf({ big: 'x'.repeat(300_000) });
    const chunks = [tar.subarray(0, 200_000)];
    const body = new ReadableStream({
      pull: (controller) => {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.error(new Error('gone'));
      },
    });
    expect((await put('v', body)).status).toBe(400);
    await expectNothing();
  });

  test('[BC3] what a killed server left is removed', async () => {
    await mkdir(join(root, '.incoming/left/over'), { recursive: true });
    await openVolumes(root);
    await expectNothing();
  });

  test('[BC4] of two that arrive at once one stays, and is not replaced', async () => {
    const [a, b] = [await tarOf({ a: '' }), await tarOf({ b: '' })];
    const statuses = (await Promise.all([put('v', a), put('v', b)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    const kept = await readdir(join(root, 'v'));
    expect(kept).toHaveLength(1);
    expect((await put('v', await tarOf({ c: '' }))).status).toBe(409);
    expect(await readdir(join(root, 'v'))).toEqual(kept);
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
  });
});

test('[BC5] path selects a directory or a file', async () => {
  await put('v', await tarOf({ 'dir/sub/a': '', 'dir/b': '', c: '' }));
  expect(members((await get('v?path=dir')).body)).toEqual(['./', './b', './sub/', './sub/a']);
  expect(members((await get('v?path=dir/b')).body)).toEqual(['b']);
  expect((await get('v?path=nope')).status).toBe(404);
  expect((await get('w')).status).toBe(404);
});

describe('nothing outside', () => {
  test.each(['.incoming', '..', '.', '-%2F..', 'a%2Fb', '%2e%2e%2fetc', 'a%00', 'x'.repeat(201), 'a b'])(
    '[BC6] the name %s is refused',
    async (name) => {
      for (const { status } of [await put(name, await tarOf({})), await get(name)]) {
        expect([400, 404]).toContain(status); // a router that tidies the URL finds nothing
      }
    },
  );

  test('[BC6] neither paths nor links lead out', async () => {
    await writeFile(join(scratch, 'secret'), '');
    await put('v', await tarOf({ 'dir/a': '' }));
    await put('vv', await tarOf({ b: '' }));
    await symlink(scratch, join(root, 'v/out'));
    await symlink('dir/a', join(root, 'v/within'));
    for (const path of ['..', '../vv', '../vv/b', 'dir/../../vv', '/../..', 'out', 'out/secret']) {
      expect((await get(`v?path=${encodeURIComponent(path)}`)).status).toBe(400);
    }
    expect(members((await get('v?path=within')).body)).toEqual(['a']);
  });

  test('[BC6] members of an archive stay in the volume', async () => {
    const tar = await tarOf({ evil: 'x' }, '--transform=s,^./evil,../../escaped,');
    await put('v', tar);
    const link = await mkdtemp(join(scratch, 'link-'));
    await symlink(scratch, join(link, 'out'));
    const through = Buffer.concat([
      execFileSync('tar', ['-C', link, '-c', 'out']).subarray(0, 512),
      await tarOf({ 'out/escaped': 'x' }),
    ]);
    await put('w', through);
    expect(await readdir(scratch)).not.toContain('escaped');
  });
});

/** The command lines of this process's children. */
function childCommands(): string[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return ''; // it has just ended
    }
  });
}

test('[BC7] a reader that leaves ends tar', async () => {
  await put('v', await tarOf({ big: 'x'.repeat(8_000_000) }));
  const { body } = await app.request('/volumes/v');
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const running = () => childCommands().join('\n');
  expect(running()).toContain(join(root, 'v')); // held back: nobody reads on
  await reader.cancel();
  while (running().includes(join(root, 'v'))) await sleep(5);
});

test('[BC8] the program serves, and stops on SIGTERM when requests under way have ended', async () => {
  const args = [join(import.meta.dirname, 'main.ts'), '--root', root, '--listen', '127.0.0.1:0'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise((resolve) => server.on('exit', (code, signal) => resolve(code ?? signal)));
  const [line] = (await once(server.stderr.setEncoding('utf8'), 'data')) as [string];
  const address = /listens at (127\.0\.0\.1:\d+)/.exec(line)?.[1];
  expect(await (await fetch(`http://${address}/health`)).json()).toMatchObject({ version: '0.0.0', protocol: 1 });

  const tar = await tarOf({ file: 'text' });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const request = { method: 'PUT', body: readable, duplex: 'half' } as RequestInit;
  const answer = fetch(`http://${address}/volumes/late`, request);
  await writer.write(tar.subarray(0, 512));
  while ((await readdir(join(root, '.incoming'))).length === 0) await sleep(5);
  server.kill('SIGTERM');
  while (
    await fetch(`http://${address}/health`).then(
      () => true,
      () => false,
    )
  )
    await sleep(5);
  await writer.write(tar.subarray(512));
  await writer.close();
  expect((await answer).status).toBe(201);
  expect(await exited).toBe(0);
  expect(await readFile(join(root, 'late/file'), 'utf8')).toBe('text');
});
