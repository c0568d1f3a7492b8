import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, chmod, link, lutimes, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContent, readBlob } from './content.ts';
import { layerFromDirectory } from './layer.ts';
import { type Ownership, tarStream } from './tar-stream.ts';

const ROOT = { ownership: 'root' } as const;
let scratch = '';

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'oci-layer-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'link';
  readonly body: string;
  readonly mode: number;
}

/** Lays the tree down in the given order, each entry with a time of its own. */
async function lay(entries: readonly Entry[], time: number): Promise<string> {
  const dir = await mkdtemp(join(scratch, 'tree-'));
  await chmod(dir, 0o755);
  for (const { path, kind, body, mode } of entries) {
    const at = join(dir, path);
    await mkdir(dirname(at), { recursive: true, mode: 0o755 });
    if (kind === 'dir') await mkdir(at, { recursive: true });
    else if (kind === 'link') await symlink(body, at);
    else await writeFile(at, body);
    if (kind !== 'link') await chmod(at, mode);
    await lutimes(at, time, time);
  }
  return dir;
}

/** The bytes of a layer that is not compressed. */
function layerBytes(dir: string, options: { ownership: Ownership; exclude?: string[] }) {
  return tarStream({ dir, members: ['.'], ...options });
}

/** The digest of such a layer, without storing it. */
async function digestOf(dir: string): Promise<string> {
  return `sha256:${createHash('sha256')
    .update(await buffer(layerBytes(dir, ROOT)))
    .digest('hex')}`;
}

function listing(tar: Buffer): string[] {
  const { stdout } = spawnSync('tar', ['-tvf', '-', '--numeric-owner', '--quoting-style=escape'], {
    input: tar,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
  });
  return stdout.trimEnd().split('\n');
}

const name = fc.stringMatching(/^[a-zA-Z0-9 _.é+-]{1,12}$/).filter((text) => !/^\.{1,2}$|^\.wh\./.test(text));
const entry: fc.Arbitrary<Entry> = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  kind: fc.constantFrom('file', 'file', 'dir', 'link'),
  body: fc.stringMatching(/^[ -~]{1,40}$/),
  mode: fc.integer({ min: 0, max: 0o777 }).map((bits) => bits | 0o700),
});
/** No entry is a parent of another, so that any order can be laid. */
const tree = fc
  .uniqueArray(entry, { minLength: 1, maxLength: 8, selector: ({ path }) => path })
  .filter((all) => all.every((a) => all.every((b) => a === b || !b.path.startsWith(`${a.path}/`))));

test('[OCI1] one tree has one digest, whatever its times and the order it was made in', async () => {
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 0, max: 2 ** 31 }), async (entries, time) => {
      const first = await digestOf(await lay(entries, time));
      const second = await digestOf(await lay(entries.toReversed(), 2 ** 31 - time));
      expect(second).toBe(first);
    }),
    { numRuns: 20 },
  );
});

test('[OCI2] a change of one content, mode, name or target changes the digest', async () => {
  const change = fc.constantFrom('body', 'mode', 'path');
  await fc.assert(
    fc.asyncProperty(tree, fc.nat(), change, async (entries, pick, what) => {
      const index = pick % entries.length;
      const old = entries[index] as Entry;
      fc.pre(what === 'path' || (what === 'body' ? old.kind !== 'dir' : old.kind !== 'link'));
      const changed = {
        ...old,
        ...(what === 'body' && { body: `${old.body}!` }),
        ...(what === 'mode' && { mode: old.mode ^ 0o004 }),
        ...(what === 'path' && { path: `${old.path}~` }),
      };
      const before = await digestOf(await lay(entries, 0));
      const after = await digestOf(await lay(entries.with(index, changed), 0));
      expect(after).not.toBe(before);
    }),
    { numRuns: 20 },
  );
});

test('[OCI3] [OCI4] kinds, modes and odd names are kept, owners are numbers', async () => {
  const dir = await lay([{ path: 'bin/tool', kind: 'file', body: 'x', mode: 0o4755 }], 5);
  const long = 'n'.repeat(200);
  await link(join(dir, 'bin/tool'), join(dir, 'bin/zool'));
  await symlink('../bin/tool', join(dir, 'link'));
  await mkdir(join(dir, 'tmp'));
  await chmod(join(dir, 'tmp'), 0o1777);
  await writeFile(join(dir, long), '');
  await writeFile(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])]), '');
  spawnSync('mkfifo', [join(dir, 'pipe')]);

  const lines = listing(await buffer(layerBytes(dir, ROOT))).map((line) =>
    line.replace(/ +\d+ 1970-01-01 00:00 /, ' '),
  );
  expect(lines).toEqual([
    'drwxr-xr-x 0/0 ./',
    'drwxr-xr-x 0/0 ./bin/',
    '-rwsr-xr-x 0/0 ./bin/tool',
    'hrwsr-xr-x 0/0 ./bin/zool link to ./bin/tool',
    'lrwxrwxrwx 0/0 ./link -> ../bin/tool',
    expect.stringMatching(/^-rw-.* 0\/0 \.\/n{200}$/),
    expect.stringMatching(/^prw-.* 0\/0 \.\/pipe$/),
    'drwxrwxrwt 0/0 ./tmp/',
    expect.stringMatching(/^-rw-.* 0\/0 \.\/\\377\\376$/),
  ]);
});

test('[OCI3] preserve keeps the numbers on disk', async () => {
  const dir = await lay([{ path: 'mine', kind: 'file', body: '', mode: 0o644 }], 0);
  const [, line] = listing(await buffer(layerBytes(dir, { ownership: 'preserve' })));
  expect(line).toContain(` ${process.getuid?.()}/${process.getgid?.()} `);
});

test('[OCI5] sockets and whiteout names are left out', async () => {
  const dir = await lay(
    [
      { path: 'kept', kind: 'file', body: '', mode: 0o644 },
      { path: 'sub/.wh.kept', kind: 'file', body: '', mode: 0o644 },
      { path: 'sub/a.wh.b', kind: 'file', body: '', mode: 0o644 },
    ],
    0,
  );
  const server = createServer().listen(join(dir, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  const names = listing(await buffer(layerBytes(dir, ROOT))).map((line) => line.split(' ').at(-1));
  server.close();
  expect(names).toEqual(['./', './kept', './sub/', './sub/a.wh.b']);
});

test('[OCI6] gzip: the diff id is of the tar, the descriptor of the bytes', async () => {
  const dir = await lay([{ path: 'f', kind: 'file', body: 'hello', mode: 0o644 }], 0);
  const content = await openContent(join(scratch, 'gzip'));
  const plain = await layerFromDirectory(content, dir, ROOT);
  const packed = await layerFromDirectory(content, dir, { ...ROOT, compression: 'gzip' });
  expect(plain.descriptor.digest).toBe(await digestOf(dir));
  expect(plain.diffId).toBe(plain.descriptor.digest);
  expect(packed.diffId).toBe(plain.diffId);
  expect(packed.descriptor.mediaType).toBe('application/vnd.oci.image.layer.v1.tar+gzip');
  const stored = await readBlob(content, packed.descriptor.digest);
  expect(stored.size).toBe(packed.descriptor.size);
  expect(gunzipSync(await buffer(stored.stream))).toEqual(await buffer(layerBytes(dir, ROOT)));
});

test.each(['none', 'gzip'] as const)(
  '[OCI8] an unreadable tree is an error and stores nothing (%s)',
  async (compression) => {
    const content = await openContent(join(scratch, `broken-${compression}`));
    const pack = layerFromDirectory(content, join(scratch, 'no-such-tree'), { ...ROOT, compression });
    await expect(pack).rejects.toMatchObject({ code: 'tar-failed' });
    expect(await readdir(join(content.dir, 'blobs/sha256'))).toEqual([]);
    expect(await readdir(join(content.dir, 'ingest'))).toEqual([]);
  },
);

test('[OCI8] a tree that changes while it is read is an error', async () => {
  const dir = await lay([{ path: 'big', kind: 'file', body: 'x'.repeat(8_000_000), mode: 0o644 }], 0);
  const bytes = layerBytes(dir, ROOT)[Symbol.asyncIterator]();
  await bytes.next(); // tar is in the file now, and held there: nobody reads on
  await appendFile(join(dir, 'big'), 'y');
  const rest = (async () => {
    while (!(await bytes.next()).done);
  })();
  await expect(rest).rejects.toMatchObject({ code: 'tar-failed' });
});

test('[OCI14] a path is excluded by its exact name', async () => {
  const file = (path: string): Entry => ({ path, kind: 'file', body: '', mode: 0o644 });
  const dir = await lay(['etc/hosts', 'etc/hosts2', 'x/etc/hosts', 'a*b', 'aXb'].map(file), 0);
  const names = listing(await buffer(layerBytes(dir, { ...ROOT, exclude: ['etc/hosts', 'a*b'] }))).map((line) =>
    line.replace(/^.* /, ''),
  );
  expect(names).toEqual(['./', './aXb', './etc/', './etc/hosts2', './x/', './x/etc/', './x/etc/hosts']);
});
