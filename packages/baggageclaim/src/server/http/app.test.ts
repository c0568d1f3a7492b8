import { expect, test } from 'vitest';
import { createSigner, generateKeys } from '../../client/signer.ts';
import { createApp, sendBytes } from './app.ts';
import { createVerifier } from './grants.ts';

const signer = createSigner(generateKeys().privateKey);
const exp = Math.floor(Date.now() / 1000) + 60;

async function appAt(handle: string, prefix: string) {
  const verify = await createVerifier(handle, [signer.publicKey]);
  const app = createApp(
    { handle, version: '1', verify, now: () => Date.now() / 1000 },
    () => ({ supervisor: true }),
    prefix,
  );
  app.get('/file', (c) => sendBytes(c, Buffer.from(c.req.path)));
  return (path: string, aud: string) => {
    const headers = { Authorization: `Bearer ${signer.sign({ aud, exp, scope: ['run'] })}` };
    return Promise.resolve(app.fetch(new Request(`https://127.0.0.1:1${path}`, { headers })));
  };
}

test('[BC40] a server below a path answers there, to tokens of its own', async () => {
  const ask = await appAt('one', '/sandboxes/one');
  expect(await (await ask('/sandboxes/one/health', 'one')).json()).toMatchObject({ handle: 'one' });
  expect(await (await ask('/sandboxes/one/file', 'one')).text()).toBe('/file');
  expect((await ask('/sandboxes/one/file', 'two')).status).toBe(401);
  expect((await ask('/sandboxes/two/file', 'one')).status).toBe(404);
});
