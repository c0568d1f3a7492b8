import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Authority } from '../../client/authority.ts';
import { createAgent, send } from '../../client/http-client.ts';
import { createSigner, generateKeys } from '../../client/signer.ts';
import type { GrantScope } from '../../protocol/grant.ts';
import { directoriesBelow } from '../../protocol/places.ts';
import type { Serving } from '../http/serve-options.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { parseHijackInput, parseHijackRequest } from './request-schemas.ts';
import { serveSandbox } from './serve-sandbox.ts';

const signer = createSigner(generateKeys().privateKey);
const agent = createAgent();
let dir = '';
let serving: Serving;
let authority: Authority;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'serve-'));
  mkdirSync(directoriesBelow(dir).build);
  const publicKeys = [signer.publicKey];
  authority = await signer.authorityOf('test');
  const keys = { publicKeys, authorityKey: authority.key };
  const options = { runtime: createNodeRuntime(), handle: 'x', ...keys, version: '1', at: '127.0.0.1:0' };
  serving = await serveSandbox(options, directoriesBelow(dir));
});
afterAll(async () => {
  agent.destroy();
  await serving[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

const RUN = {
  id: 'p',
  attempt: '1',
  path: 'sh',
  args: [],
  env: {},
  dir: '/',
  user: '',
  tty: null,
  stdin: '',
  inputs: [],
  directories: [],
};

function post(path: string, body: object) {
  const token = (scope: readonly GrantScope[]) => signer.sign({ aud: 'x', exp: Date.now() / 1000 + 60, scope });
  const { signal } = new AbortController();
  return send(
    {
      url: `https://${serving.address}`,
      server: { name: 'x', authority: authority.certificate },
      agent,
      token,
    },
    { method: 'POST', path, scope: ['run'], body },
    signal,
  );
}

describe('bodies', () => {
  test.each<[string, object, string]>([
    ['/run', [], 'the body is malformed: '],
    ['/run', { ...RUN, id: undefined }, 'the body is malformed: id: '],
    ['/run', { ...RUN, args: 'x' }, 'the body is malformed: args: '],
    ['/run', { ...RUN, env: { A: 1 } }, 'the body is malformed: env.A: '],
    ['/run', { ...RUN, tty: { columns: -1, rows: 1 } }, 'the body is malformed: tty.columns: '],
    ['/run', { ...RUN, inputs: [{ path: '/x', from: [{ url: 'x', token: '' }] }] }, 'inputs.0.from.0.url: '],
    ['/run', { ...RUN, id: '../x' }, 'not a process id: "../x"'],
    ['/signal', { id: 'p', signal: 'TERM' }, 'the body is malformed: signal: '],
  ])('[BC23] %s refuses %j, and names what is wrong', async (path, body, message) => {
    await expect(post(path, body)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(message),
    });
    expect(readdirSync(directoriesBelow(dir).own)).toEqual([]);
  });

  test('[BC23] a body that is not JSON is refused', async () => {
    const words = new Blob(['words']).stream() as ReadableStream<Uint8Array>;
    await expect(post('/run', words)).rejects.toMatchObject({ code: 'bad-request', message: 'the body is not JSON' });
  });
});

describe('messages of a hijacking client', () => {
  test('[BC23] the first one names a process, and missing fields are empty', () => {
    const request = { path: 'sh', args: [], env: [], dir: '', user: '', tty: null };
    expect(parseHijackRequest('{"path":"sh","args":null}')).toEqual(request);
    for (const text of ['{}', '[]', 'null', '"sh"', 'words', '{"path":1}', '{"path":"sh","tty":{}}']) {
      expect(parseHijackRequest(text)).toBeUndefined();
    }
  });

  test('[BC23] later ones are bytes, the end of them, or a size', () => {
    const size = { tty: { window_size: { columns: 80, rows: 24 } } };
    for (const input of [{ stdin: 'YQ==' }, { closed: true }, size]) {
      expect(parseHijackInput(JSON.stringify(input))).toEqual(input);
    }
    for (const text of ['{}', 'null', 'words', '{"closed":false}', '{"tty":{"window_size":{"columns":1}}}']) {
      expect(parseHijackInput(text)).toBeUndefined();
    }
  });
});
