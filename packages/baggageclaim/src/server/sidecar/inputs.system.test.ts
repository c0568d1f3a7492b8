import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import type { Certificate } from '../../protocol/certificate.ts';
import { certified } from '../../testing/certified.ts';
import { supervisorProgram } from '../../testing/programs.ts';
import { never, TestSandbox } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';

const test = anyTest.skipIf(whyNoRoot());

let programs: Record<ServerRuntime, ServerProgram>;
let supervisor = '';
beforeAll(async () => {
  supervisor = supervisorProgram();
  programs = serverPrograms();
});

const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Everything about a tree that must survive, as text. */
function describeTree(dir: string): string {
  const format = '%P %y %m %U %G %Ts %s %l %n\n';
  return execFileSync('find', [dir, '-mindepth', '1', '-printf', format], { encoding: 'utf8' })
    .split('\n')
    .sort()
    .join('\n');
}

/** A source that answers with these bytes, and then breaks off or ends. */
async function badSource(bytes: Buffer, how: 'ends' | 'breaks') {
  const { certificate, server: identity } = await certified('bad');
  const server = createServer(certificate, (_, response) => {
    response.writeHead(200).write(bytes, () => (how === 'ends' ? response.end() : response.socket?.destroy()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/tree`;
  return { url, token: 'x.y', server: identity, [Symbol.dispose]: () => server.close() };
}

/** A server that answers nothing. */
async function listen(certificate: Certificate, onRequest: (request: IncomingMessage) => void) {
  const server = createServer(certificate, (request, response) => {
    onRequest(request);
    response.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => server.close() };
}

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const start = (handle: string) => TestSandbox.start(handle, programs[runtime], supervisor);

  test('[BC12] everything arrives as it was', async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    const source = from.path('get');
    write(source, {
      'dir/deep/er/file': 'text',
      script: '#!/bin/sh',
      [`long-${'x'.repeat(200)}`]: '',
      'ünïcode name': '',
    });
    writeFileSync(join(source, 'binary'), Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
    chmodSync(join(source, 'script'), 0o4751);
    chownSync(join(source, 'dir'), 1234, 4321);
    chmodSync(join(source, 'dir'), 0o500);
    symlinkSync('/no/where', join(source, 'dangling'));
    linkSync(join(source, 'script'), join(source, 'hard'));
    mkdirSync(join(source, 'empty'));
    utimesSync(join(source, 'binary'), 1_000_000, 1_000_000);
    write(to.path('in'), { 'left/over': '' });
    const inputs = [{ path: to.path('in'), from: [from.client.sourceOf(source)] }];
    const { end } = await to.result({ path: 'true', inputs });
    expect(end).toEqual({ kind: 'exited', status: 0 });
    expect(describeTree(to.path('in'))).toBe(describeTree(source));
    expect(execFileSync('diff', ['-r', '--no-dereference', source, to.path('in')], { encoding: 'utf8' })).toBe('');
  });

  test('[BC12] an input within another is loaded after it, and replaces what was there', async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    write(from.path('outer'), { a: 'outer', 'sub/hidden': 'x' });
    write(from.path('inner'), { b: 'inner' });
    const source = (name: string) => [from.client.sourceOf(from.path(name))];
    const inputs = [
      { path: to.path('w/in/sub'), from: source('inner') },
      { path: to.path('w/in'), from: source('outer') },
    ];
    await to.result({ path: 'true', inputs, directories: [to.path('w/in'), to.path('w/in/sub/out')] });
    expect(readdirSync(to.path('w/in')).sort()).toEqual(['a', 'sub']);
    expect(readdirSync(to.path('w/in/sub')).sort()).toEqual(['b', 'out']);
  });

  test('[BC12] an input behind a link of another stays in the volume', async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    mkdirSync(from.path('outer'), { recursive: true });
    mkdirSync(join(to.dir, 'precious/kept'), { recursive: true });
    symlinkSync(join(to.dir, 'precious'), from.path('outer/sub'));
    const source = [from.client.sourceOf(from.path('outer'))];
    const inputs = [
      { path: to.path('in'), from: source },
      { path: to.path('in/sub'), from: source },
    ];
    const { end } = await to.result({ path: 'true', inputs });
    expect(end).toMatchObject({ cause: 'input', message: expect.stringContaining('a link is in its way') });
    expect(readdirSync(join(to.dir, 'precious'))).toEqual(['kept']);
    const outputs = { inputs: inputs.slice(0, 1), directories: [to.path('in/sub/out')] };
    const made = await to.result({ id: 'out', path: 'true', ...outputs });
    expect(made.end).toMatchObject({ cause: 'directory', message: expect.stringContaining('a link is in its way') });
    expect(readdirSync(join(to.dir, 'precious'))).toEqual(['kept']);
  });

  test.each([
    ['user namespace has no number for', ['unshare', '--user', '--map-root-user']],
    ['container has no capability for', ['setpriv', '--bounding-set=-chown', '--inh-caps=-chown']],
  ])('[BC12] an owner that the %s is root', async (_, wrap) => {
    await using from = await start('get-1');
    const wrapped = { command: [...wrap, ...programs[runtime].command] };
    await using to = await TestSandbox.start('task-1', wrapped, supervisor);
    write(from.path('get'), { mine: '', theirs: 'text' });
    chownSync(from.path('get/theirs'), 1_234_567, 1_234_567);
    chmodSync(from.path('get/theirs'), 0o640);
    const inputs = [{ path: to.path('in'), from: [from.client.sourceOf(from.path('get'))] }];
    const { stdout } = await to.result({ ...sh('cat theirs; stat -c %a:%u theirs'), dir: to.path('in'), inputs });
    expect(stdout).toBe('text640:0\n');
  });

  test("[BC12] the directory of an input is root's, or the user's with all that is in it", async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    write(from.path('get'), { 'dir/file': '' });
    execFileSync('chown', ['-R', '1234:1234', from.path('get')]);
    const inputs = [{ path: to.path('in'), from: [from.client.sourceOf(from.path('get'))] }];
    await to.result({ id: 'root', path: 'true', inputs });
    expect([to.path('in'), to.path('in/dir')].map((path) => statSync(path).uid)).toEqual([0, 1234]);
    await to.result({ id: 'user', path: 'true', inputs, user: '77:88' });
    for (const name of ['in', 'in/dir', 'in/dir/file'])
      expect(statSync(to.path(name))).toMatchObject({ uid: 77, gid: 88 });
    expect(statSync(from.path('get/dir/file')).uid).toBe(1234);
  });

  test('[BC13] the next source is tried when one is gone, refuses, or breaks off', async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    write(from.path('get'), { file: 'text' });
    const good = from.client.sourceOf(from.path('get'));
    using broken = await badSource(Buffer.alloc(5120, 'x'), 'breaks');
    const sources = [{ ...good, url: 'https://127.0.0.1:1/tree' }, { ...good, token: 'x.y' }, broken, good];
    const { stdout } = await to.result({ ...sh('cat in/file'), inputs: [{ path: to.path('in'), from: sources }] });
    expect(stdout).toBe('text');
  });

  test('[BC13] an input without a working source is named in the record, with the reasons, and nothing starts', async () => {
    await using to = await start('task-1');
    await using from = await start('get-1');
    write(from.path('get'), { file: 'text' });
    const good = from.client.sourceOf(from.path('get'));
    const inputs = [
      { path: to.path('fine'), from: [good] },
      { path: to.path('gone'), from: [{ ...good, url: good.url.replace('get', 'none') }] },
    ];
    const { end } = await to.result({ path: 'touch', args: [to.path('ran')], inputs });
    expect(end).toMatchObject({ kind: 'not-started', cause: 'input' });
    const { message } = end as { message: string };
    expect(message).toContain(`the input at ${to.path('gone')} could not be loaded: ${new URL(good.url).host}: `);
    expect(message).toContain('not for read:');
    expect(readdirSync(to.directories.build)).not.toContain('ran');
  });

  test('[BC26] a sidecar sends no token to another server than the one that it is for', async () => {
    await using from = await start('get-1');
    await using to = await start('task-1');
    write(from.path('get'), { file: 'text' });
    const good = from.client.sourceOf(from.path('get'));
    const asked: string[] = [];
    const { certificate } = await certified('get-1'); // the right name, of another authority
    using impostor = await listen(certificate, (request) => asked.push(request.headers.authorization ?? ''));
    using elsewhere = await listen((await certified('other')).certificate, () => {});
    const sources = [
      { ...good, url: `${impostor.url}/tree` },
      { ...good, url: `${elsewhere.url}/tree` },
      { ...good, server: { ...good.server, name: 'get-2' } },
    ];
    const { end } = await to.result({ path: 'true', inputs: [{ path: to.path('in'), from: sources }] });
    expect(end).toMatchObject({ kind: 'not-started', cause: 'input' });
    expect(asked).toEqual([]);
    const { stdout } = await to.result({
      id: 'q',
      ...sh('cat in/file'),
      inputs: [{ path: to.path('in'), from: [good] }],
    });
    expect(stdout).toBe('text');
  });

  test('[BC14] an archive that ends early is not taken for a whole one, wherever it ends', async () => {
    await using to = await start('task-1');
    write(to.path('tree'), { a: 'a', b: 'b' });
    const tar = execFileSync('tar', ['-C', to.path('tree'), '-c', '.']);
    // Before, within and between members; the last one is whole.
    for (const length of [0, 512, 700, 1024, 1536, 2048, 2560, tar.length]) {
      using source = await badSource(tar.subarray(0, length), 'ends');
      const inputs = [{ path: to.path('in'), from: [source] }];
      const { end } = await to.result({ id: `cut-${length}`, path: 'true', inputs });
      expect({ length, kind: end?.kind }).toEqual({ length, kind: length === tar.length ? 'exited' : 'not-started' });
    }
  });

  test('[BC15] trees and files are read with a token for them', async () => {
    await using sandbox = await start('task-1');
    write(sandbox.path('out'), { 'dir/file': 'text' });
    write(sandbox.path('other'), { secret: '' });
    symlinkSync('/etc/passwd', sandbox.path('out/link'));
    execFileSync('mkfifo', [sandbox.path('out/pipe')]);
    const { client } = sandbox;
    const tar = Buffer.from(await new Response(await client.readTree(sandbox.path('out'), never())).arrayBuffer());
    expect(execFileSync('tar', ['-t'], { input: tar, encoding: 'utf8' }).trim().split('\n').sort()).toEqual([
      './',
      './dir/',
      './dir/file',
      './link',
      './pipe',
    ]);
    const file = await client.readFile(sandbox.path('out'), 'dir/file', 1024, never());
    expect(Buffer.from(file ?? '').toString()).toBe('text');
    expect(await client.readFile(sandbox.path('out'), 'none', 1024, never())).toBeUndefined();
    for (const [path, code] of [
      ['link', 'forbidden'],
      ['dir', 'bad-request'],
      ['pipe', 'bad-request'],
    ] as const) {
      await expect(client.readFile(sandbox.path('out'), path, 1024, never())).rejects.toMatchObject({ code });
    }
    await expect(client.readTree(sandbox.path('none'), never())).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC15] neither a file nor a directory outside of the volumes is read', async () => {
    await using sandbox = await start('task-1');
    write(sandbox.path('out'), { file: 'text' });
    write(sandbox.path('other'), { secret: '' });
    const { client, directories } = sandbox;
    for (const path of ['../../../../../../etc/passwd', '../other/secret', 'x/../../other/secret']) {
      expect(await client.readFile(sandbox.path('out'), path, 1024, never())).toBeUndefined();
    }
    for (const directory of ['/etc', directories.own, sandbox.path('../sidecar'), '/']) {
      await expect(client.readFile(directory, 'passwd', 1024, never())).rejects.toMatchObject({ code: 'forbidden' });
      await expect(client.readTree(directory, never())).rejects.toMatchObject({ code: 'forbidden' });
    }
  });
});
