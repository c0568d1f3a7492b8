import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { temporaryDirectory } from '@seaplane/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

/** A tar archive of files, with the few fields of a header that matter. */
function tar(files: Record<string, Buffer>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write(`${(1_700_000_000).toString(8).padStart(11, '0')}\0`, 136);
    header.write('0', 156);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A zip archive, each file deflated, with the few fields that matter. */
function zip(files: Record<string, Buffer>): Buffer {
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    entries.push(entry, Buffer.from(name));
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

const program = Buffer.from('fly, a program of many bytes\n'.repeat(10_000));
let api: TestApi;
let withoutFly: TestApi;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const flyDirectory = join(directory.path, 'fly');
  await mkdir(flyDirectory);
  const archive = tar({ LICENSE: Buffer.from('free'), fly: program, other: Buffer.from('x') });
  await writeFile(join(flyDirectory, 'fly-linux-amd64.tgz'), gzipSync(archive));
  await writeFile(join(flyDirectory, 'fly-darwin-arm64.tgz'), gzipSync(tar({ LICENSE: Buffer.from('free') })));
  await writeFile(join(flyDirectory, 'fly-linux-arm64'), program);
  await writeFile(join(flyDirectory, 'fly-windows-amd64.exe'), program);
  await writeFile(
    join(flyDirectory, 'fly-8.2.5-windows-arm64.zip'),
    zip({ README: Buffer.from('x'), 'fly.exe': program }),
  );
  await writeFile(join(flyDirectory, 'fly-8.2.5-darwin-amd64'), Buffer.from('old'));
  await writeFile(join(flyDirectory, 'fly-8.10.0-darwin-amd64'), program);
  await writeFile(join(flyDirectory, 'fly-8.10.0-linux-arm64'), Buffer.from('the one without a version is preferred'));
  api = await createTestApi({ flyDirectory });
  withoutFly = await createTestApi();
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await withoutFly[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

test.each([
  ['out of an archive', 'platform=linux&arch=amd64', 'fly'],
  ['from a plain file', 'platform=linux&arch=arm64', 'fly'],
  ['for Windows', 'platform=Windows&arch=amd64', 'fly.exe'],
  ['out of a zip archive of a release', 'platform=windows&arch=arm64', 'fly.exe'],
  ['of the newest release', 'platform=darwin&arch=amd64', 'fly'],
])('[API-CLI1] fly %s, with its length', async (_, query, name) => {
  const response = await api.get(`/api/v1/cli?${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('content-length')).toBe(String(program.length));
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
  expect(Buffer.from(await response.arrayBuffer()).equals(program)).toBe(true);
});

test('[API-CLI1] the date of fly is its date in the archive', async () => {
  const response = await api.get('/api/v1/cli?platform=linux&arch=amd64');
  expect(response.headers.get('last-modified')).toBe('Tue, 14 Nov 2023 22:13:20 GMT');
  await response.body?.cancel();
});

test('[API-CLI2] names that would lead out of the directory are refused', async () => {
  for (const query of ['platform=../x&arch=amd64', 'platform=linux', 'platform=linux&arch=AMD64']) {
    expect((await api.get(`/api/v1/cli?${query}`)).status).toBe(400);
  }
});

test('[API-CLI3] a missing fly is answered with 404', async () => {
  expect((await api.get('/api/v1/cli?platform=plan9&arch=amd64')).status).toBe(404);
  const missing = await withoutFly.get('/api/v1/cli?platform=linux&arch=amd64');
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('This installation has no fly for linux on amd64: see http');
  expect((await api.get('/api/v1/cli?platform=darwin&arch=arm64')).status).toBe(500);
  expect(String(api.failures[0])).toContain("there is no 'fly' in");
});
