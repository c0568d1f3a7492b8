import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from '@seaplane/dev-toolchain/cache-dir.ts';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { buildImages } from './build-images.ts';
import { ROOT } from './code-inputs.ts';
import { IMAGE_NAMES, type ImageName } from './image-names.ts';
import { runPrivileged } from './testing/sandbox.ts';
import { whyNoImages } from './testing/why-no-images.ts';

const test = anyTest.skipIf(whyNoImages());

let scratch = '';
const rootfs = {} as Record<ImageName, string>;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'images-test-'));
  for (const { name, archive } of await buildImages(IMAGE_NAMES, stderrProgress('test'))) {
    rootfs[name] = join(dirname(archive), 'rootfs');
  }
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A private copy: what is in the cache must not change. */
async function copyOf(name: ImageName): Promise<string> {
  const copy = join(scratch, `${name}-${process.hrtime.bigint()}`);
  await run('cp', ['-a', rootfs[name], copy]);
  return copy;
}

test('[IMG1] built into two caches, under another umask and from another directory, digests are the same', async () => {
  const build = async (cwd: string, umask: string) => {
    const cache = await mkdtemp(join(scratch, 'cache-'));
    const script = `umask ${umask} && exec "$@"`;
    const main = join(ROOT, 'dev/images/src/main.ts');
    const names = ['pause', 'busybox', 'scratch', 'mock'];
    const { stdout } = await run('sh', ['-c', script, 'sh', process.execPath, main, 'build', ...names], {
      cwd,
      env: { ...process.env, SEAPLANE_CACHE: cache },
    });
    return stdout;
  };
  const first = await build(ROOT, '022');
  expect(first.match(/sha256:[0-9a-f]{64}/g)).toHaveLength(4);
  expect(await build(scratch, '077')).toBe(first);
});

test.each(IMAGE_NAMES)('[IMG2] %s holds no path of the machine that built it', async (name) => {
  const patterns = [ROOT, cacheDir(), scratch].flatMap((path) => ['-e', path]);
  const { code, stdout } = await run('grep', ['-rlaF', ...patterns, rootfs[name]], { ok: [0, 1] });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

describe('pause', () => {
  const childrenOf = async (pid: number | string | undefined) =>
    (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);

  test.each(['SIGTERM', 'SIGINT'])('[IMG3] as PID 1 it reaps an orphan, and ends on %s', async (signal) => {
    // The subshell ends at once, so the sleep is an orphan, and a child of what the shell becomes.
    const script = '(sleep 1000 & echo started) && exec "$0"';
    const args = ['--pid', '--fork', '--kill-child', 'sh', '-c', script, join(rootfs.pause, 'pause')];
    const unshare = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(unshare.stdout, 'data');
      const [pid = ''] = await childrenOf(unshare.pid);
      while (!(await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('pause')) await sleep(5);
      const [orphan = ''] = await childrenOf(pid);
      process.kill(Number(orphan), 'SIGKILL');
      while ((await childrenOf(pid)).length > 0) await sleep(5); // a zombie is still a child
      process.kill(Number(pid), signal);
      expect(await once(unshare, 'exit')).toEqual([0, null]);
    } finally {
      unshare.kill('SIGKILL');
    }
  });
});

test('[IMG4] busybox runs its tools, /tmp is for everyone', async () => {
  const root = await copyOf('busybox');
  expect((await stat(join(root, 'tmp'))).mode & 0o7777).toBe(0o1777);
  const { stdout } = await runPrivileged(['/bin/sh', '-c', 'id -un; echo a | /usr/bin/env sed s/a/b/'], { root });
  expect(stdout).toBe('root\nb\n');
});

test('[IMG5] scratch holds one program', async () => {
  expect(await readdir(rootfs.scratch)).toEqual(['hello']);
  const hello = (...args: string[]) => runPrivileged(['chroot', rootfs.scratch, '/hello', ...args]);
  expect(await hello()).toEqual({ code: 0, stdout: 'hello from scratch, uid=0 gid=0 args=[]\n', stderr: '' });
  expect(await hello('a', '--exit', '42')).toMatchObject({
    code: 42,
    stdout: 'hello from scratch, uid=0 gid=0 args=[a --exit 42]\n',
  });
  expect(
    await runPrivileged(['chroot', '--userspec=1000:2000', rootfs.scratch, '/hello', '--sleep', '1']),
  ).toMatchObject({
    code: 0,
    stdout: 'hello from scratch, uid=1000 gid=2000 args=[--sleep 1]\n',
  });
});

test('[IMG6] debian-git has a working git, and certificates to trust', async () => {
  const root = await copyOf('debian-git');
  // A container's runtime provides these.
  await run('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
  await run('mknod', ['-m', '666', join(root, 'dev/urandom'), 'c', '1', '9']);
  const script = `set -e
    git --version
    git init -q -b main /tmp/repo && cd /tmp/repo
    git config user.name tester && git config user.email tester@example.test
    echo text > file && git add file && git commit -q -m "first commit"
    git log --format=%s
    git clone -q /tmp/repo /tmp/clone && cat /tmp/clone/file
    /usr/lib/git-core/git-remote-https 2>&1 | head -1
    grep -c BEGIN /etc/ssl/certs/ca-certificates.crt`;
  const { code, stdout, stderr } = await runPrivileged(['/bin/bash', '-c', script], { root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [version, subject, content, https, certificates] = stdout.trim().split('\n');
  expect(version).toMatch(/^git version 2\./);
  expect([subject, content]).toEqual(['first commit', 'text']);
  expect(https).toContain('usage: git remote-curl'); // its libraries are all there
  expect(Number(certificates)).toBeGreaterThan(100);
});

test('[IMG7] baggageclaim has the built-in resource types in its image', async () => {
  const root = await copyOf('baggageclaim');
  await run('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
  await run('mknod', ['-m', '666', join(root, 'dev/urandom'), 'c', '1', '9']);
  // Bun wants /proc, which every container has.
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  const sh = (script: string) => runPrivileged(['unshare', ...unshare, 'chroot', root, '/bin/sh', '-c', script]);
  const check = (type: string, source: object) =>
    sh(`echo '${JSON.stringify({ source })}' | SEAPLANE_RESOURCE_TYPE=${type} /opt/resource/check`);
  const { stdout } = await check('time', { interval: '1m' });
  expect(JSON.parse(stdout)).toEqual([{ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }]);
  const make = `git init -q -b main /tmp/repo && cd /tmp/repo && git -c user.name=t -c user.email=t@example.test commit -q --allow-empty -m one`;
  expect(await sh(make)).toMatchObject({ code: 0 });
  const git = await check('git', { uri: 'file:///tmp/repo', branch: 'main' });
  expect(JSON.parse(git.stdout)).toEqual([{ ref: expect.stringMatching(/^[0-9a-f]{40}$/) }]);
  expect((await sh('/opt/resource/check < /dev/null')).stderr).toContain(
    'the pod does not say which built-in resource type it is',
  );
});

test('[IMG7] baggageclaim serves from its own image, and brings the supervisor', async () => {
  const root = await copyOf('baggageclaim');
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  const program = ['/usr/bin/baggageclaim', '--dir', '/sandbox', '--listen', '127.0.0.1:0'];
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const env = {
    SEAPLANE_HANDLE: 'one',
    SEAPLANE_PUBLIC_KEY: Buffer.alloc(32, 1).toString('base64url'),
    SEAPLANE_AUTHORITY_KEY: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  };
  const child = spawn('unshare', [...unshare, 'chroot', root, ...program], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  try {
    const [line] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];
    const url = `https://${/listens at (\S+)/.exec(line)?.[1]}/health`;
    const [answer] = (await once(get(url, { rejectUnauthorized: false }), 'response')) as [IncomingMessage];
    expect(JSON.parse((await buffer(answer)).toString())).toMatchObject({ handle: 'one', supervisor: false });
    await runPrivileged(['chroot', root, '/supervisor', '--install', '/sandbox/control/supervisor']);
    expect(await readFile(join(root, 'sandbox/control/supervisor'))).toEqual(await readFile(join(root, 'supervisor')));
    const pack = ['chroot', root, 'tar', '-cf', '/sandbox/packed', '/supervisor'];
    expect((await runPrivileged(pack)).code).toBe(0);
    const packed = await readFile(join(root, 'sandbox/packed'));
    expect(packed.includes(await readFile(join(root, 'supervisor')))).toBe(true);
  } finally {
    child.kill('SIGKILL'); // unshare ignores TERM; what it started dies with it
  }
});
