import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashOf } from './places.ts';
import { finish, sandbox, shell, shellRequest, specOf, untilPhase } from './testing/sandboxes.ts';
import { killAgent, openTestHost, type TestHost, whyNoLocalHost } from './testing/test-host.ts';

const soon = () => AbortSignal.timeout(60_000);
const IN = '/tmp/build/in';

describe.skipIf(whyNoLocalHost())('inputs of a local worker', () => {
  let opened: TestHost;
  beforeEach(async () => {
    opened = await openTestHost();
  });
  afterEach(() => opened[Symbol.asyncDispose]());

  const placeOf = (handle: string, ...names: string[]) => join(opened.directory, 'sandboxes', hashOf(handle), ...names);
  const lowers = () => readdir(join(opened.directory, 'lowers'));

  /** A sandbox whose step has made the directory `out`. */
  async function producer(handle: string): Promise<BaggageclaimClient> {
    const client = await sandbox(opened.host, specOf(handle));
    await shell(
      client,
      'make',
      'mkdir -p /tmp/build/out/deep; cd /tmp/build/out; echo made > file; echo x > deep/file',
    );
    return client;
  }

  /** Runs a script in a new sandbox that has an input from there. */
  async function consume(handle: string, from: ReturnType<BaggageclaimClient['sourceOf']>, script: string, more = {}) {
    const client = await sandbox(opened.host, specOf(handle, more));
    const request = shellRequest('use', script, { inputs: [{ path: IN, from: [from], mayShow: true }], dir: IN });
    await client.run(request, soon());
    return { client, ...(await finish(client, request)) };
  }

  /** Whether the machine holds a second copy of the input's files. */
  const hasCopy = async (handle: string) => (await readdir(placeOf(handle, 'build/in'))).includes('file');

  test.each([
    ['', {}],
    [' of a privileged step', { privileged: true }],
  ])('[LOCAL32] an input%s is not copied, and its changes are the step’s own', async (_, more) => {
    const from = (await producer('task-first')).sourceOf('/tmp/build/out');
    const script = 'cat file; echo changed > file; rm -r deep; cat file; ls';
    const second = await consume('task-second', from, script, more);
    expect(second).toMatchObject({ stdout: 'made\nchanged\nfile\n', stderr: '' });
    expect(await hasCopy('task-second')).toBe(false);
    expect(await readFile(placeOf('task-first', 'build/out/file'), 'utf8')).toBe('made\n');
    const third = await consume('task-third', from, 'cat file deep/file');
    expect(third.stdout).toBe('made\nx\n');
  });

  test('[LOCAL32] a sandbox that was destroyed stays on disk until no other sees its files', async () => {
    const from = (await producer('task-first')).sourceOf('/tmp/build/out');
    const { client } = await consume('task-second', from, 'true');
    await opened.host.destroy('task-first');
    await untilGone('task-first');
    expect(await lowers()).toEqual([expect.stringMatching(`^sandbox@${hashOf('task-first')}@`)]);
    killAgent(opened.directory);
    await untilPhase(opened.host, 'task-second', 'ready');
    expect((await shell(client, 'later', `cat ${IN}/deep/file`)).stdout).toBe('x\n');
    expect(await lowers()).toHaveLength(1);
    await opened.host.destroy('task-second');
    await expect.poll(lowers).toEqual([]);
  });

  test('[LOCAL32] so does an artifact of the store', async () => {
    const store = await opened.host.store();
    await store.putArtifact(
      'stored',
      'team',
      await (await producer('task-first')).readTree('/tmp/build/out', soon()),
      soon(),
    );
    const { client, stdout } = await consume('task-second', store.artifactSource('stored'), 'cat file; echo x > file');
    expect(stdout).toBe('made\n');
    expect(await hasCopy('task-second')).toBe(false);
    await store.deleteArtifact('stored', soon());
    expect(await store.hasArtifact('stored', soon())).toBe(false);
    expect((await shell(client, 'later', `cat ${IN}/file ${IN}/deep/file`)).stdout).toBe('x\nx\n');
    expect(await lowers()).toEqual(['stored']);
    await opened.host.destroy('task-second');
    await expect.poll(lowers).toEqual([]);
  });

  test('[LOCAL32] an input that can’t be shown is copied', async () => {
    const from = (await producer('task-first')).sourceOf('/tmp/build/out');
    const client = await sandbox(opened.host, specOf('task-second'));
    await writeFile(placeOf('task-second', 'inputs'), 'there is no room for an overlay');
    const request = shellRequest('use', 'cat file', { inputs: [{ path: IN, from: [from], mayShow: true }], dir: IN });
    await client.run(request, soon());
    expect((await finish(client, request)).stdout).toBe('made\n');
    expect(await hasCopy('task-second')).toBe(true);
  });

  test('[LOCAL32] nothing is left of a sandbox with a shown input', async () => {
    const from = (await producer('task-first')).sourceOf('/tmp/build/out');
    await consume('task-second', from, 'echo changed > file');
    for (const handle of ['task-second', 'task-first']) {
      await opened.host.destroy(handle);
      await untilGone(handle);
    }
    expect(await lowers()).toEqual([]);
    await expect(stat(placeOf('task-second'))).rejects.toThrow('ENOENT');
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(opened.directory);
  });

  async function untilGone(handle: string): Promise<void> {
    await expect.poll(() => opened.host.list(soon())).not.toContain(handle);
  }
});
