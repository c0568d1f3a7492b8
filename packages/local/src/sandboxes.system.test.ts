import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOf } from './places.ts';
import { resetLocal } from './reset-local.ts';
import { copyPrograms } from './testing/copy-programs.ts';
import { sandbox, shell, specOf, untilPhase } from './testing/sandboxes.ts';
import { openTestHost, type TestHost, whyNoLocalHost } from './testing/test-host.ts';

const soon = () => AbortSignal.timeout(60_000);

describe.skipIf(whyNoLocalHost())('sandboxes of a local worker', () => {
  let opened: TestHost;

  beforeAll(async () => {
    opened = await openTestHost();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  const placeOf = (handle: string, ...names: string[]) => join(opened.directory, 'sandboxes', hashOf(handle), ...names);

  /** A tree with the host's shell and its libraries, as an artifact that is an image. */
  async function putImage(id: string): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'image-'));
    try {
      const rootfs = join(dir, 'rootfs');
      await copyPrograms(
        rootfs,
        ['sh', 'cat', 'ls', 'rm'].map((name) => `/bin/${name}`),
      );
      await mkdir(join(rootfs, 'etc'));
      await writeFile(join(rootfs, 'etc/of-image'), 'yes');
      await writeFile(join(dir, 'metadata.json'), JSON.stringify({ env: ['A=b'], user: '' }));
      await (await opened.host.store()).putArtifact(id, 'team', packed(dir), soon());
    } finally {
      await rm(dir, { recursive: true });
    }
  }

  test('[LOCAL6] an artifact is an image without a copy, and its tree outlives it while it is used', async () => {
    await putImage('image-1');
    const store = await opened.host.store();
    const image = await store.makeImage('image-1', 'team', soon());
    expect(image).toMatchObject({ env: ['A=b'], user: '' });
    const reference = await opened.host.imageReference(image.path, image.digest);
    const client = await sandbox(opened.host, specOf('task-image', { image: { reference } }));
    expect((await shell(client, 'read', 'cat /etc/of-image; rm /etc/of-image; ls /etc')).stdout).toBe(
      'yeshosts\nresolv.conf\n',
    );
    const stored = join(opened.directory, 'store/artifacts/image-1/rootfs/etc/of-image');
    expect(await readFile(stored, 'utf8')).toBe('yes');
    await store.deleteArtifact('image-1', soon());
    expect(await store.hasArtifact('image-1', soon())).toBe(false);
    expect((await shell(client, 'again', 'ls /bin')).stdout).toBe('cat\nls\nrm\nsh\n');
    expect(await readdir(join(opened.directory, 'lowers'))).toEqual(['image-1']);
    await opened.host.destroy('task-image');
    await expect.poll(() => readdir(join(opened.directory, 'lowers'))).toEqual([]);
  });

  test('[LOCAL7] the image `host` has programs and nothing of a person', async () => {
    const client = await sandbox(opened.host, specOf('task-host'));
    const { stdout } = await shell(
      client,
      'look',
      'ls /home /root; cat /etc/passwd; touch /usr/x || echo read-only; touch /root/x && ls /root',
    );
    expect(stdout).toBe(
      `/home:\n\n/root:\nroot:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\nread-only\nx\n`,
    );
  });

  test('[LOCAL8] an image that is neither here nor an artifact is refused with words', async () => {
    const create = (reference: string) => opened.host.create(specOf('task-none', { image: { reference } }), soon());
    await expect(create('busybox')).rejects.toMatchObject({ code: 'image-pull' });
    await expect(create('/no/such/image')).rejects.toThrow(
      'the image /no/such/image is not a directory or file of this machine',
    );
    await expect(create('artifact:none')).rejects.toThrow('the store has no artifact none');
  });

  test('[LOCAL20] a pipeline cannot name files of the machine as its image', async () => {
    const create = (reference: string) =>
      opened.host.create(specOf('task-thief', { image: { reference, fromPipeline: true } }), soon());
    for (const reference of ['/', '/etc', 'artifact:image-1']) {
      await expect(create(reference)).rejects.toMatchObject({ code: 'image-pull' });
    }
    expect(await opened.host.list(soon())).not.toContain('task-thief');
  });

  test('[LOCAL9] only a privileged step has rights on the machine', async () => {
    const plain = await sandbox(opened.host, specOf('task-plain'));
    const privileged = await sandbox(opened.host, specOf('task-privileged', { privileged: true }));
    const map = 'read inside outside count < /proc/self/uid_map; echo $inside $outside $count';
    expect((await shell(plain, 'map', map)).stdout).toBe('0 1879048192 65536\n');
    expect((await shell(privileged, 'map', map)).stdout).toBe('0 0 4294967295\n');
    expect((await shell(plain, 'user', 'id -u; touch /tmp/build/mine')).stdout).toBe('0\n');
    expect((await stat(placeOf('task-plain', 'build/mine'))).uid).toBe(0); // the id that the sandbox sees
  });

  test('[LOCAL10] a hermetic step has no network', async () => {
    const client = await sandbox(opened.host, specOf('task-hermetic', { hermetic: true }));
    expect((await shell(client, 'links', 'cat /proc/net/dev | wc -l')).stdout.trim()).toBe('3'); // two lines of titles, lo
  });

  test('[LOCAL11] a step that needs more memory than its limit is killed, and its record says so', async () => {
    const client = await sandbox(
      opened.host,
      specOf('task-limited', { limits: { memory: 32 * 1024 * 1024, cpu: 512 } }),
    );
    const eaten = await shell(client, 'eat', 'x=0123456789abcdef; while :; do x=$x$x; done');
    expect(eaten).toMatchObject({ end: { kind: 'signaled', signal: 9 }, outOfMemory: true });
  });

  test('[LOCAL12] volumes outside of the build directory are at their paths in the sandbox alone', async () => {
    const path = '/usr/of-a-test/volume';
    const client = await sandbox(opened.host, specOf('task-mounts', { mounts: ['/srv/of-a-test'] }));
    const written = await shell(client, 'write', 'echo in the volume > /srv/of-a-test/file; cat /srv/of-a-test/file');
    expect(written.stdout).toBe('in the volume\n');
    expect(Buffer.from((await client.readFile('/srv/of-a-test', 'file', 100, soon())) ?? []).toString()).toBe(
      'in the volume\n',
    );
    await expect(stat('/srv/of-a-test')).rejects.toThrow('ENOENT');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  test('[LOCAL13] a step has nothing of the agent', async () => {
    const client = await sandbox(opened.host, specOf('task-alone'));
    const seen = await shell(client, 'env', `env; ls ${opened.directory}; ls /proc/1/fd 2>&1; touch /tmp/seaplane/x`);
    expect(seen.stdout).not.toContain('SEAPLANE');
    expect(seen.stderr).toContain(`cannot access '${opened.directory}'`);
    expect(seen.stderr).toContain('/tmp/seaplane/x');
  });

  test('[LOCAL15] nothing is left of a sandbox that was destroyed, nor after a reset', async () => {
    const other = await openTestHost();
    await sandbox(other.host, specOf('task-first', { limits: { memory: 64 * 1024 * 1024 } }));
    const client = await sandbox(other.host, specOf('task-second', { limits: { memory: 64 * 1024 * 1024 } }));
    void shell(client, 'forever', 'sleep 1000').catch(() => {});
    await other.host.destroy('task-first');
    await untilPhase(other.host, 'task-second', 'ready');
    await expect.poll(() => other.host.list(soon())).toEqual(['task-second']);
    const name = `seaplane-local-${hashOf(other.directory)}`;
    await expect.poll(() => traces(other.directory, name, 'task-first')).toEqual([]);
    expect(await traces(other.directory, name, 'task-second')).not.toEqual([]);
    other.host[Symbol.dispose]();
    await resetLocal(other.directory);
    expect(await traces(other.directory, name, 'task-second')).toEqual([]);
    await expect(stat(other.directory)).rejects.toThrow('ENOENT');
  });
});

function packed(dir: string): ReadableStream<Uint8Array> {
  const tar = spawn('tar', ['-C', dir, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return Readable.toWeb(tar.stdout) as ReadableStream<Uint8Array>;
}

/** Processes, mounts, cgroups and files of a sandbox. */
async function traces(directory: string, cgroups: string, handle: string): Promise<string[]> {
  const hash = hashOf(handle);
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(join(directory, 'sandboxes', hash))) found.push(`process ${pid}`);
  }
  if ((await readFile('/proc/self/mounts', 'utf8')).includes(directory)) found.push('mount');
  for (const controller of ['', 'memory', 'cpu']) {
    const there = await readdir(join('/sys/fs/cgroup', controller, cgroups)).catch((): string[] => []);
    if (there.includes(hash)) found.push(`cgroup ${controller}`);
  }
  const files = await readdir(join(directory, 'sandboxes')).catch((): string[] => []);
  if (files.includes(hash)) found.push('directory');
  return found;
}
