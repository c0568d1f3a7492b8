import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Call, createAgent, send } from '../../client/http-client.ts';
import { createSigner, generateKeys } from '../../client/signer.ts';
import type { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { GrantScope } from '../../protocol/grant.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { describeUsage, serveStore } from './serve-store.ts';

test.each<[object, string]>([
  [{}, 'the body is malformed: from: '],
  [{ from: {} }, 'the body is malformed: from: '],
  [{ from: [{ url: 'nowhere', token: 'x' }] }, 'the body is malformed: from.0.url: '],
  [{ from: [{ url: 'https://x' }] }, 'the body is malformed: from.0.token: '],
  [{ from: [{ url: 'https://x', token: 'x' }] }, 'the body is malformed: from.0.server: '],
])('[BC23] a store refuses to pull with %j, and names what is wrong', async (body, message) => {
  const signer = createSigner(generateKeys().privateKey);
  const dir = mkdtempSync(join(tmpdir(), 'serve-store-'));
  const agent = createAgent();
  const authority = await signer.authorityOf('test');
  const keys = { publicKeys: [signer.publicKey], authorityKey: authority.key };
  const options = { runtime: createNodeRuntime(), handle: 'store', ...keys, version: '1' };
  const serving = await serveStore(
    { ...options, at: '127.0.0.1:0', imagesAt: '127.0.0.1:0', relayAt: '127.0.0.1:0' },
    dir,
  );
  const token = () => signer.sign({ aud: 'store', exp: Date.now() / 1000 + 60, scope: ['put:a'] });
  const call = { method: 'PUT', path: '/artifacts/a', scope: [], body } as const;
  const server = { name: 'store', authority: authority.certificate };
  const answer = send({ url: `https://${serving.address}`, server, agent, token }, call, new AbortController().signal);
  await expect(answer).rejects.toMatchObject({ code: 'bad-request', message: expect.stringContaining(message) });
  agent.destroy();
  await serving[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

test('[BC22] usage is described with its room, where there is a limit', () => {
  expect(describeUsage({ artifacts: 1, freeBytes: 12_345_678_901 })).toBe('holds 1 artifact and has 12.3 GB left');
  expect(describeUsage({ artifacts: 2, freeBytes: undefined })).toBe('holds 2 artifacts');
});

test('[BC18] a token for one operation on one artifact is good for nothing else', async () => {
  const signer = createSigner(generateKeys().privateKey);
  const authority = await signer.authorityOf('test');
  const dir = mkdtempSync(join(tmpdir(), 'serve-store-'));
  const keys = { publicKeys: [signer.publicKey], authorityKey: authority.key };
  const options = { runtime: createNodeRuntime(), handle: 'store', ...keys, version: '1' };
  const serving = await serveStore(
    { ...options, at: '127.0.0.1:0', imagesAt: '127.0.0.1:0', relayAt: '127.0.0.1:0' },
    dir,
  );
  const agent = createAgent();
  const server = { name: 'store', authority: authority.certificate };
  const ask = (method: Call['method'], path: string, scope: GrantScope) => {
    const token = () => signer.sign({ aud: 'store', exp: Date.now() / 1000 + 60, scope: [scope] });
    const call = { method, path, scope: [], body: { from: [] } } as const;
    const answer = send(
      { url: `https://${serving.address}`, server, agent, token },
      call,
      new AbortController().signal,
    );
    return answer.then(
      (good) => {
        good.resume();
        return 'accepted';
      },
      ({ code }: BaggageclaimError) => (code === 'forbidden' ? 'forbidden' : 'accepted'),
    );
  };
  const operations = [
    ['PUT', '/artifacts/a', 'put:a'],
    ['DELETE', '/artifacts/a', 'delete:a'],
    ['PUT', '/images/a', 'image:a'],
    ['GET', '/artifacts/a', 'read:/artifacts/a'],
    ['GET', '/artifacts/a/file?path=x', 'read:/artifacts/a'],
    ['GET', '/artifacts', 'list'],
  ] as const;
  const scopes = [...new Set(operations.map(([, , scope]) => scope))];
  for (const [method, path, needed] of operations) {
    const others = scopes.map((scope) => (needed === 'list' ? scope : (scope.replace(/a$/, 'b') as GrantScope)));
    for (const scope of [...scopes, ...others]) {
      expect([method, path, scope, await ask(method, path, scope)]).toEqual([
        method,
        path,
        scope,
        scope === needed ? 'accepted' : 'forbidden',
      ]);
    }
  }
  agent.destroy();
  await serving[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});
