import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSigner, generateKeys } from '../../client/signer.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { serveStore } from '../store/serve-store.ts';
import { networkProbe } from './network-probe.ts';

test('[BC34] a store tells where no hermetic step may connect to, and this network is open', async () => {
  const runtime = createNodeRuntime();
  const signer = createSigner(generateKeys().privateKey);
  const authority = await signer.authorityOf('test');
  const known = { runtime, publicKeys: [signer.publicKey], authorityKey: authority.key, version: '1' };
  const dir = mkdtempSync(join(tmpdir(), 'witness-'));
  const at = { at: '127.0.0.1:0', imagesAt: '127.0.0.1:0', relayAt: '127.0.0.1:0', address: '127.0.0.1' };
  const store = await serveStore({ ...known, ...at, handle: 'store' }, dir);
  const probe = await networkProbe(runtime, { name: 'store', url: `https://${store.address}` }, authority.key);
  const { witness } = await probe.health();
  expect(witness).toEqual({ url: `https://${store.address}`, open: `http://${store.imageAddress}` });
  expect(await probe.isReached(witness?.open ?? '')).toBe(true);

  // A stranger at the store's address is not a witness, and neither is a store that has gone.
  const stranger = await networkProbe(runtime, { name: 'other', url: `https://${store.address}` }, authority.key);
  await expect(stranger.health()).rejects.toThrow();
  await store[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
  expect(await probe.isReached(`http://${store.imageAddress}`)).toBe(false);
  await expect(probe.health()).rejects.toThrow();
});

test('[BC34] a connection that is refused is not made', async () => {
  const { key } = await createSigner(generateKeys().privateKey).authorityOf('test');
  const probe = await networkProbe(createNodeRuntime(), { name: 'store', url: 'https://127.0.0.1:1' }, key);
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await probe.isReached(`http://127.0.0.1:${port}`)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await probe.isReached(`http://127.0.0.1:${port}`)).toBe(false);
  expect(await probe.isReached('http://[::1]:1')).toBe(false);
});
