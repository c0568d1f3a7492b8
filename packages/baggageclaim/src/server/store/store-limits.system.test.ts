import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import { certified } from '../../testing/certified.ts';
import { never } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';
import { TestStore } from '../../testing/stores.ts';
import { streamOf, tarOf } from '../../testing/tars.ts';

const MIB = 2 ** 20;
const test = anyTest.skipIf(whyNoRoot());

let programs: Record<ServerRuntime, ServerProgram>;
beforeAll(() => {
  programs = serverPrograms();
});

/** The first blocks of an archive with one large file. */
const HEAD = tarOf({ file: 'x'.repeat(200 * MIB) }).subarray(0, MIB);

/** An archive that goes on for ever. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(HEAD),
    pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
  });
}

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const incoming = (store: TestStore) => readdirSync(join(store.dir, 'incoming'));

  test('[BC31] an upload without an end is refused in words, and nothing of it is left', async () => {
    await using store = await TestStore.start(programs[runtime]);
    const client = store.limitedClient({ artifactBytes: 5 * MIB, teamBytes: 8 * MIB });
    await expect(client.putArtifact('bomb', 'a', endless(), never())).rejects.toMatchObject({
      code: 'too-large',
      message: 'bomb is larger than 5.0 MiB, the most that the store keeps of one artifact',
    });
    expect(await client.listArtifacts(never())).toEqual([]);
    await expect.poll(() => incoming(store)).toEqual([]);
    const put = (id: string, team: string) =>
      client.putArtifact(id, team, streamOf(tarOf({ file: 'x'.repeat(4.5 * MIB) })), never());
    await put('first', 'a');
    await expect(put('second', 'a')).rejects.toMatchObject({ code: 'full' });
    await put('second', 'b');
    await store.stopServer('SIGKILL');
    await store.startServer();
    const again = store.limitedClient({ artifactBytes: 5 * MIB, teamBytes: 8 * MIB });
    const third = () => again.putArtifact('third', 'a', streamOf(tarOf({ file: 'x'.repeat(4.5 * MIB) })), never());
    await expect(third()).rejects.toMatchObject({ code: 'full' });
    await again.deleteArtifact('first', never());
    await third();
  });

  test('[BC31] an image counts with its holes, which a layer writes', async () => {
    await using store = await TestStore.start(programs[runtime]);
    const client = store.limitedClient({ artifactBytes: 5 * MIB, teamBytes: 8 * MIB });
    const image = (holes: number) => streamOf(tarOf({ 'rootfs/x': { holes }, 'metadata.json': '{}' }));
    await client.putArtifact('holes', 'a', image(6 * MIB), never());
    await expect(client.makeImage('holes', 'a', never())).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('the image of holes is larger than 5.0 MiB'),
    });
    await client.putArtifact('one', 'a', image(4.5 * MIB), never());
    await client.putArtifact('two', 'a', image(4.25 * MIB), never());
    await Promise.all([1, 2].map(() => client.makeImage('one', 'a', never())));
    await expect(client.makeImage('two', 'a', never())).rejects.toMatchObject({ code: 'full' });
    await client.deleteArtifact('one', never());
    await client.makeImage('two', 'a', never());
  });

  test('[BC31] a full disk is said to be one, and nothing of what did not fit is left', async () => {
    await using store = await TestStore.start(programs[runtime]);
    await store.stopServer('SIGTERM');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', store.dir]);
    try {
      await store.startServer();
      const put = (id: string, bytes: number) =>
        store.client.putArtifact(id, 'a', streamOf(tarOf({ file: 'x'.repeat(bytes) })), never());
      const full = { code: 'full', message: expect.stringContaining('its disk has no room left') };
      await expect(put('large', 6 * MIB)).rejects.toMatchObject(full);
      expect(incoming(store)).toEqual([]);
      await put('small', MIB);
      expect(await store.client.listArtifacts(never())).toEqual(['small']);
      await store.stopServer('SIGTERM');
    } finally {
      execFileSync('umount', [store.dir]);
    }
  });

  test('[BC32] a pull whose client hangs up stops', async () => {
    await using store = await TestStore.start(programs[runtime]);
    const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { certificate, server } = await certified('slow');
    const source = createServer(certificate, (request, response) => {
      response.write(tarOf({ file: 'x'.repeat(MIB) }).subarray(0, 1000));
      request.socket.once('close', () => closed.resolve());
      asked.resolve();
    });
    await once(source.listen(0, '127.0.0.1'), 'listening');
    try {
      const client = new AbortController();
      const url = `https://127.0.0.1:${(source.address() as AddressInfo).port}/tree`;
      const pulling = store.client.pullArtifact('a', 'a', [{ url, token: 'x', server }], client.signal);
      pulling.catch(() => {});
      await asked.promise;
      client.abort(new Error('left'));
      await expect(pulling).rejects.toThrow('left');
      await closed.promise;
      await expect.poll(() => incoming(store)).toEqual([]);
    } finally {
      source.closeAllConnections();
      source.close();
    }
  });
});
