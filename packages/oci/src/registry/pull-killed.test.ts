import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RegistryDouble } from '../testing/registry-double.ts';
import { testImage, testLayer } from '../testing/test-image.ts';

function startPull(reference: string, dir: string) {
  const script = fileURLToPath(new URL('../testing/pull-once.ts', import.meta.url));
  return spawn(process.execPath, [script, reference, join(dir, 'layers'), join(dir, 'images')], { stdio: 'inherit' });
}

test('[OCI21] a pull that is killed leaves nothing that counts as whole, and the next one removes what it left', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'oci-killed-'));
  await using registry = await RegistryDouble.start();
  const layer = await testLayer({ 'a/big': randomBytes(500_000) }, 'none');
  registry.add('a/b', '1', testImage([layer]));
  const reference = `${registry.host}/a/b:1`;
  registry.intercept = (request, response) => {
    if (!request.url?.endsWith(layer.descriptor.digest)) return false;
    response.writeHead(200, { 'content-length': layer.bytes.length });
    response.write(layer.bytes.subarray(0, 300_000)); // and then nothing more
    return true;
  };
  const killed = startPull(reference, dir);
  const incoming = join(dir, 'layers', 'incoming');
  const halfLayer = async () => {
    const [name] = await readdir(incoming).catch(() => []);
    return name === undefined ? [] : readdir(join(incoming, name, 'a')).catch(() => []);
  };
  await expect.poll(halfLayer).toEqual(['big']);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(await readdir(join(dir, 'layers'))).toEqual(['blobs', 'incoming', 'used']);
  registry.intercept = () => false;
  const [code] = await once(startPull(reference, dir), 'close');
  expect(code).toBe(0);
  expect(await readdir(incoming)).toEqual([]);
  expect(await readdir(join(dir, 'layers', layer.diffId.slice(7), 'a'))).toEqual(['big']);
  await rm(dir, { recursive: true });
});
