import { afterEach, beforeEach, expect, test } from 'vitest';
import { openClusterSecrets } from './cluster-secrets.ts';
import { type FakeHost, fakeHost } from './testing/fake-host.ts';

const never = new AbortController().signal;
const SECRETS = '/api/v1/namespaces/concourse-main/secrets';

let fake: FakeHost;
beforeEach(async () => {
  fake = await fakeHost();
});
afterEach(() => fake[Symbol.asyncDispose]());

test('[KUBE-SEC1] a secret is read with its values decoded; one that is not there is undefined', async () => {
  const data = { value: Buffer.from('séame').toString('base64'), empty: '' };
  fake.server.put(SECRETS, { metadata: { name: 'site.word' }, data } as never);
  using secrets = openClusterSecrets(fake.target.cluster);
  expect(await secrets.read('concourse-main', 'site.word', never)).toEqual({ value: 'séame', empty: '' });
  expect(await secrets.read('concourse-main', 'none', never)).toBeUndefined();
  expect(await secrets.read('concourse-other', 'site.word', never)).toBeUndefined();
});

test('[KUBE-SEC1] no name leads out of its namespace', async () => {
  fake.server.put(SECRETS, { metadata: { name: 'word' }, data: {} } as never);
  using secrets = openClusterSecrets(fake.target.cluster);
  expect(await secrets.read('concourse-x', '../../concourse-main/secrets/word', never)).toBeUndefined();
  expect(await secrets.read('concourse-x/../concourse-main', 'word', never)).toBeUndefined();
  expect(await secrets.read('concourse-x', '..', never)).toBeUndefined();
  expect(fake.server.requests).toEqual([]);
});

test('[KUBE-SEC2] a refusal and a cluster that does not answer are errors with their codes', async () => {
  using secrets = openClusterSecrets(fake.target.cluster);
  fake.server.intercept = () => ({
    code: 403,
    status: { message: 'secrets "word" is forbidden: User "x" cannot get' },
  });
  await expect(secrets.read('concourse-main', 'word', never)).rejects.toMatchObject({ code: 'forbidden' });
  await fake.server[Symbol.asyncDispose]();
  await expect(secrets.read('concourse-main', 'word', never)).rejects.toMatchObject({ code: 'unreachable' });
});
