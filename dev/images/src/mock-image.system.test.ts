import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterAll, afterEach, test as anyTest, beforeAll, beforeEach, describe, expect } from 'vitest';
import { info, type MockPrograms, mockPrograms } from './testing/mock-programs.ts';
import { runPrivileged } from './testing/sandbox.ts';
import { whyNoImages } from './testing/why-no-images.ts';

const test = anyTest.skipIf(whyNoImages());

/** Everything below a directory: kind, mode, owner, number of links, and what makes sense for its kind. */
async function listing(dir: string): Promise<string[]> {
  const { stdout } = await run('find', ['.', '-printf', '%P %y %m %U:%G %n %TY-%Tm-%Td %TH:%TM %s %l\n'], { cwd: dir });
  return stdout
    .split('\n')
    .map((line) => {
      const [path, kind, mode, owner, links, day, minute, size, target] = line.split(' ');
      if (kind === 'l') return [path, kind, owner, target].join(' ');
      if (kind === 'd') return [path, kind, mode, owner, day, minute].join(' ');
      return [path, kind, mode, owner, links, day, minute, size].join(' ');
    })
    .sort();
}

describe('mirror_self', () => {
  let mock: MockPrograms;
  beforeEach(async () => {
    mock = await mockPrograms();
  });
  afterEach(() => mock[Symbol.asyncDispose]());

  async function mirror(request: object, dest = 'tmp/build/get') {
    await mkdir(join(mock.rootfs, dest), { recursive: true });
    const outcome = await mock.run('in', request, { root: mock.rootfs, privileged: true, args: [`/${dest}`] });
    return { ...outcome, dest: join(mock.rootfs, dest) };
  }

  test('[MOCK15] copies the whole root, as cp -a does, but tmp, dev, proc and sys', async () => {
    const root = mock.rootfs;
    await mkdir(join(root, 'work/sub'), { recursive: true });
    await writeFile(join(root, 'work/sub/file'), 'text');
    await chmod(join(root, 'work/sub/file'), 0o6751);
    await run('chown', ['-h', '65532:9', join(root, 'work/sub/file')]);
    await run('touch', ['-d', '2001-02-03T04:05:06Z', join(root, 'work/sub/file')]);
    await link(join(root, 'work/sub/file'), join(root, 'work/second-name'));
    await run('mkfifo', [join(root, 'work/pipe')]);
    await run('touch', ['-d', '2001-02-03T04:05:06Z', join(root, 'work/sub')]);
    await symlink('nowhere', join(root, 'work/dangling'));
    await writeFile(join(root, 'tmp/not-copied'), '');
    await chmod(join(root, 'dev'), 0o711);

    const { code, stdout, stderr, dest } = await mirror({ source: { mirror_self: true }, version: { version: 'v"1' } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"version":{"version":"v\\"1"},"metadata":null}\n' });
    expect(stderr).toContain('mirroring self image');
    expect((await readdir(dest)).sort()).toEqual(['metadata.json', 'privileged', 'rootfs', 'version']);
    expect(await readFile(join(dest, 'metadata.json'), 'utf8')).toBe(
      '{"env":["MIRRORED_VERSION=v\\"1"],"user":"root"}\n',
    );

    const copy = join(dest, 'rootfs');
    expect((await readdir(copy)).sort()).toEqual((await readdir(root)).sort());
    for (const name of (await readdir(root)).filter(
      (entry) => !['tmp', 'dev', 'proc', 'sys', 'sbin'].includes(entry),
    )) {
      expect(await listing(join(copy, name))).toEqual(await listing(join(root, name)));
    }
    for (const name of ['tmp', 'dev', 'proc', 'sys']) {
      expect(await readdir(join(copy, name))).toEqual([]);
      expect((await stat(join(copy, name))).mode).toBe((await stat(join(root, name))).mode);
    }
  });

  test('[MOCK10] [MOCK15] the mirror runs, and is the next version by default', async () => {
    const { dest } = await mirror({ source: {}, version: { version: 'v1' }, params: { mirror_self_via_params: true } });
    const { env } = JSON.parse(await readFile(join(dest, 'metadata.json'), 'utf8')) as { env: string[] };
    const [, version = ''] = env[0]?.split('=') ?? [];
    const options = { root: join(dest, 'rootfs'), privileged: true, env: { MIRRORED_VERSION: version } };
    expect((await mock.run('check', { source: {} }, options)).stdout).toBe('[{"version":"v1","privileged":"true"}]\n');
  });

  test('[MOCK3] [MOCK15] the log says whether params asked for it', async () => {
    const line = `${info('mirroring self image').slice(0, -1)} \x1b[36mvia_params\x1b[0m=`;
    const params = { mirror_self_via_params: true };
    expect((await mirror({ source: { mirror_self: true } }, 'tmp/a')).stderr).toContain(`${line}false\n`);
    expect((await mirror({ source: {}, params }, 'tmp/b')).stderr).toContain(`${line}true\n`);
  });

  test('[MOCK15] without being asked there is no mirror', async () => {
    const { dest } = await mirror({ source: { mirror_self: false }, params: { mirror_self_via_params: false } });
    expect((await readdir(dest)).sort()).toEqual(['privileged', 'version']);
  });

  test('[MOCK4] [MOCK15] refuses to copy itself into itself', async () => {
    const { code, stdout, stderr } = await mirror({ source: { mirror_self: true } }, 'home/dest');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('failed to mirror: /home/dest is part of what would be copied into it');
  });
});

describe('image', () => {
  let mock: MockPrograms;
  beforeAll(async () => {
    mock = await mockPrograms();
  });
  afterAll(() => mock[Symbol.asyncDispose]());

  function shell(script: string, interpreter = '/bin/sh') {
    return runPrivileged([interpreter, '-c', script], { root: mock.rootfs, env: { A: '1' } });
  }

  test('[MOCK20] has bash, and sh without it', async () => {
    expect((await shell('echo ${BASH_VERSION%%.*}', '/bin/bash')).stdout).toMatch(/^\d+\n$/);
    const { code, stdout } = await shell(
      'mv /bin/bash /tmp && ls /bin/bash 2>&1; sh -c "echo still here" && mv /tmp/bash /bin',
    );
    expect(code).toBe(0);
    expect(stdout).toBe('ls: /bin/bash: No such file or directory\nstill here\n');
  });

  test('[MOCK20] has printenv', async () => {
    expect((await shell('printenv A')).stdout).toBe('1\n');
    expect((await shell('printenv -0 A A')).stdout).toBe('1\x001\x00');
    expect((await shell('printenv NOPE A')).code).toBe(1);
    expect((await shell('printenv')).stdout.split('\n')).toContain('A=1');
  });

  test('[MOCK20] has the tools that tasks of the suite call', async () => {
    const tools =
      'cat chown echo env false find grep hostname id ls mkdir mkfifo ping rm sleep stat test touch true wc';
    const { stdout } = await shell(`for tool in ${tools}; do which $tool >/dev/null || echo no $tool; done; echo end`);
    expect(stdout).toBe('end\n');
  });

  test('[MOCK21] has the users that tests run as', async () => {
    const users = ['root', 'nonroot', 'adm', 'daemon', 'news', 'nobody'];
    const { stdout } = await shell(users.map((user) => `id -u ${user}; id -gn ${user}`).join(';'));
    const ids = ['0 root', '65532 nonroot', '3 adm', '2 daemon', '9 news', '65534 nobody'];
    expect(stdout.trim().split('\n')).toEqual(ids.flatMap((id) => id.split(' ')));
  });

  test('[MOCK20] is less than 10 MB', async () => {
    const { stdout } = await run('du', ['-sb', mock.rootfs]);
    expect(Number(stdout.split('\t')[0])).toBeLessThan(10_000_000);
  });
});
