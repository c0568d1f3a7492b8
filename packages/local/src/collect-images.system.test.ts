import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layerOf, RegistryDouble, testImage } from '@seaplane/oci/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyPrograms } from './testing/copy-programs.ts';
import { sandbox, shell, specOf } from './testing/sandboxes.ts';
import { killAgent, openTestHost, type TestHost, whyNoLocalHost } from './testing/test-host.ts';

const TWENTY_DAYS_MS = 20 * 86_400_000;

describe.skipIf(whyNoLocalHost())('layers of a local worker', () => {
  let opened: TestHost;

  beforeAll(async () => {
    opened = await openTestHost();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  /** Adds an image with a shell and a file, and returns the name of its layer. */
  async function addImage(registry: RegistryDouble, name: string): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'collected-'));
    await copyPrograms(dir, ['/bin/sh']);
    await writeFile(join(dir, 'name'), name);
    const layer = layerOf(execFileSync('tar', ['-c', '-C', dir, '.'], { maxBuffer: 2 ** 28 }), 'gzip');
    await rm(dir, { recursive: true });
    registry.add(name, '1', testImage([layer], {}));
    return layer.diffId.slice('sha256:'.length);
  }

  const layer = (...names: string[]) => join(opened.directory, 'layers', ...names);

  test('[LOCAL45] go when they were not used for long, except under a sandbox, and are pulled again', async () => {
    await using registry = await RegistryDouble.start();
    const [old, running] = [await addImage(registry, 'a/old'), await addImage(registry, 'a/running')];
    const specFor = (handle: string, name: string) =>
      specOf(handle, { image: { reference: `${registry.host}/${name}:1` } });
    await sandbox(opened.host, specFor('task-old', 'a/old'));
    await opened.host.destroy('task-old');
    const { host } = opened;
    await expect.poll(() => host.list(AbortSignal.timeout(60_000))).toEqual([]);
    await sandbox(host, specFor('task-running', 'a/running'));
    const long = new Date(Date.now() - TWENTY_DAYS_MS);
    for (const name of [old, running]) await utimes(layer('used', name), long, long);

    killAgent(opened.directory); // the next one collects when it starts
    await expect.poll(() => host.list(AbortSignal.timeout(60_000))).toEqual(['task-running']);
    await expect.poll(() => existsSync(layer(old))).toBe(false);
    expect(existsSync(layer(running))).toBe(true);
    const client = await host.connect('task-running');
    expect((await shell(client, 'read', 'read name < /name; echo $name')).stdout).toBe('a/running\n');
    const again = await sandbox(host, specFor('task-again', 'a/old'));
    expect((await shell(again, 'read', 'read name < /name; echo $name')).stdout).toBe('a/old\n');
  });
});
