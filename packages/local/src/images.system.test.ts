import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layerFromDirectory, openContent, writeImage, writeLayout, writeLayoutArchive } from '@seaplane/oci';
import { layerOf, RegistryDouble, testImage, testLayer } from '@seaplane/oci/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyPrograms } from './testing/copy-programs.ts';
import { sandbox, shell, specOf } from './testing/sandboxes.ts';
import { openTestHost, type TestHost, whyNoLocalHost } from './testing/test-host.ts';

describe.skipIf(whyNoLocalHost())('images of a local worker', () => {
  let opened: TestHost;

  beforeAll(async () => {
    opened = await openTestHost();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  test('[LOCAL18] built-in types run in a sandbox', async () => {
    const run = async (type: string, request: object, action = 'check') => {
      const handle = `check-${type}`;
      const client = await sandbox(opened.host, specOf(handle, { image: { reference: `builtin:${type}` } }));
      return shell(client, 'run', `echo '${JSON.stringify(request)}' | /opt/resource/${action} /tmp/build/get`);
    };
    const time = await run('time', { source: { interval: '1m' } });
    expect(JSON.parse(time.stdout)).toEqual([{ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }]);
    const git = await run('git', { source: { uri: 'file:///none' } });
    expect(git.stderr).toContain("'/none' does not appear to be a git repository");
    await expect(sandbox(opened.host, specOf('check-none', { image: { reference: 'builtin:none' } }))).rejects.toThrow(
      'this machine has no built-in type none, only git, registry-image, time',
    );
  });

  test('[LOCAL8] an OCI archive is an image with its environment, and is read again when it has changed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'archive-'));
    try {
      const [rootfs, archive] = [join(dir, 'rootfs'), join(dir, 'image.tar')];
      await copyPrograms(rootfs, ['/bin/sh']);
      await mkdir(join(rootfs, 'etc'));
      const write = async (text: string) => {
        await writeFile(join(rootfs, 'etc/text'), text);
        const content = await openContent(join(dir, text));
        const layers = [await layerFromDirectory(content, rootfs, { ownership: 'root' })];
        const manifest = await writeImage(content, { layers, config: { Env: [`COLOUR=${text}`] } });
        await writeLayout(content, [{ ref: 'a/b:1', manifest }]);
        await writeLayoutArchive(content, archive);
      };
      const read = async (handle: string, reference: string) => {
        const client = await sandbox(opened.host, specOf(handle, { image: { reference } }));
        return (await shell(client, 'read', 'read text < /etc/text; echo $text $COLOUR')).stdout;
      };
      await write('blue');
      expect(await read('task-archive', archive)).toBe('blue blue\n');
      await write('red');
      expect(await read('task-replaced', archive)).toBe('red red\n');
      expect(await read('task-layout', join(dir, 'blue'))).toBe('blue blue\n');
      await writeFile(archive, 'something else that is not an image');
      await expect(read('task-broken', archive)).rejects.toThrow(`the image ${archive} can't be used: `);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test('[LOCAL19] an image of a registry is pulled once, with its whiteouts and environment', async () => {
    await using registry = await RegistryDouble.start();
    const dir = await mkdtemp(join(tmpdir(), 'pulled-'));
    await copyPrograms(dir, ['/bin/sh', '/bin/ls']);
    await mkdir(join(dir, 'etc'));
    for (const name of ['gone', 'kept']) await writeFile(join(dir, 'etc', name), name);
    const base = layerOf(execFileSync('tar', ['-c', '-C', dir, '.'], { maxBuffer: 2 ** 28 }), 'gzip');
    await rm(dir, { recursive: true });
    registry.add(
      'a/b',
      '1',
      testImage([base, await testLayer({ 'etc/.wh.gone': '' }, 'zstd')], { Env: ['COLOUR=blue'] }),
    );
    const image = { reference: `${registry.host}/a/b:1` };
    const first = await sandbox(opened.host, specOf('task-pulled', { image }));
    const { stdout } = await shell(first, 'look', 'cd /etc && ls gone kept 2>&1; echo $COLOUR');
    expect(stdout).toContain('kept');
    expect(stdout).toMatch(/gone.*No such file/);
    expect(stdout).toContain('blue');
    const blobs = () => registry.requests.filter((line) => line.includes(base.descriptor.digest)).length;
    expect(blobs()).toBe(1);
    await sandbox(opened.host, specOf('task-again', { image }));
    expect(blobs()).toBe(1);
    expect(existsSync(join(opened.directory, 'layers', base.diffId.slice(7)))).toBe(true);
    await expect(
      sandbox(opened.host, specOf('task-none', { image: { reference: `${registry.host}/a/none:1` } })),
    ).rejects.toThrow(/can't be pulled: .*404/);
  });

  test('[LOCAL44] an image is pulled with its own password, and sandboxes are made of it without', async () => {
    await using registry = await RegistryDouble.start();
    const dir = await mkdtemp(join(tmpdir(), 'provided-'));
    await copyPrograms(dir, ['/bin/sh']);
    const layer = layerOf(execFileSync('tar', ['-c', '-C', dir, '.'], { maxBuffer: 2 ** 28 }), 'gzip');
    await rm(dir, { recursive: true });
    const image = testImage([layer], { Env: ['COLOUR=blue'], User: 'app' });
    registry.add('a/b', '1', image);
    const right = `Basic ${Buffer.from('ann:right').toString('base64')}`;
    registry.intercept = ({ headers }, response) => {
      if (headers.authorization === right) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    };
    const store = await opened.host.store();
    const lines: string[] = [];
    const provide = (password: string) =>
      store.provideRegistryImage(
        { repository: `${registry.host}/a/b`, digest: image.digest, credentials: { username: 'ann', password } },
        (line) => lines.push(line),
        AbortSignal.timeout(60_000),
      );
    await expect(provide('wrong')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/401|refuse/),
    });
    const { reference, ...facts } = await provide('right');
    expect(facts).toEqual({ env: ['COLOUR=blue'], user: 'app', command: [] });
    expect(lines[0]).toContain(`pulling ${registry.host}/a/b@${image.digest}: 1 layers`);
    registry.requests.length = 0;
    const made = await sandbox(opened.host, specOf('task-provided', { image: { reference } }));
    expect((await shell(made, 'look', 'echo $COLOUR')).stdout).toBe('blue\n');
    expect(await provide('right')).toEqual({ reference, ...facts, cached: true });
    expect(registry.requests).toEqual([]);
    await expect(provide('wrong')).rejects.toMatchObject({ code: 'unavailable' });
    const named = specOf('task-named', { image: { reference, fromPipeline: true } });
    await expect(sandbox(opened.host, named)).rejects.toThrow(/can't be pulled/);
    const none = specOf('task-nothing', { image: { reference: `pulled:sha256:${'0'.repeat(64)}` } });
    await expect(sandbox(opened.host, none)).rejects.toThrow(/is not here any more/);
  });
});
