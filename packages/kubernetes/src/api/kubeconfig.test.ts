import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError, type HostErrorCode } from '@seaplane/orchestrator';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { parseTarget } from '../testing/parse-target.ts';
import { type ApiAnswer, ApiError } from './api-error.ts';
import { KubeApi } from './kube-api.ts';
import { loadCluster } from './kubeconfig.ts';
import type { StatusBody } from './wire.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'seaplane-kubeconfig-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

async function load(content: string, context?: string) {
  const kubeconfig = join(directory, 'config');
  await writeFile(kubeconfig, content);
  const images = { baggageclaim: 'x' };
  return loadCluster(
    parseTarget({ name: 'prod', namespace: 'ci', images, kubeconfig, ...(context ? { context } : {}) }),
  );
}

const config = {
  'current-context': 'one',
  contexts: [
    { name: 'one', context: { cluster: 'c', user: 'u' } },
    { name: 'no-user', context: { cluster: 'c', user: 'nobody' } },
    { name: 'no-cluster', context: { cluster: 'nowhere', user: 'u' } },
  ],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 'hunter2' } }],
};

describe('a kubeconfig that can’t be used', () => {
  test('[KUBE-CFG1] a missing file', async () => {
    const target = parseTarget({
      name: 'prod',
      namespace: 'ci',
      images: { baggageclaim: 'x' },
      kubeconfig: '/no/such',
    });
    await expect(loadCluster(target)).rejects.toThrow(
      "worker prod: the kubeconfig /no/such can't be read: there is no such file. Put it there, or name another",
    );
  });

  test.each([
    ['is not a kubeconfig', 'token: "hunter2'],
    ['has no current-context: name one of its contexts', JSON.stringify({ ...config, 'current-context': undefined })],
    ['has no context two; it has: one, no-user, no-cluster', JSON.stringify(config), 'two'],
    ['the user of the context no-user is missing', JSON.stringify(config), 'no-user'],
    ['the cluster of the context no-cluster is missing', JSON.stringify(config), 'no-cluster'],
  ])('[KUBE-CFG1] %s', async (words, content, context?: string) => {
    const failure = load(content, context);
    await expect(failure).rejects.toThrow(HostError);
    await expect(failure).rejects.toMatchObject({ code: 'bad-config' });
    await expect(failure).rejects.toThrow(words);
    await expect(failure).rejects.toThrow(/^(?!.*hunter2)/s);
  });

  test('[KUBE-CFG1] a credential helper that is not there', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/no/such/helper' };
    const access = await load(JSON.stringify({ ...config, users: [{ name: 'u', user: { exec } }] }));
    await expect(access.authorize({})).rejects.toThrow(/the credentials of the context one of .* can't be used/);
  });

  test('[KUBE-CFG1] no kubeconfig and no pod', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    const target = parseTarget({ name: 'prod', namespace: 'ci', images: { baggageclaim: 'x' } });
    await expect(loadCluster(target)).rejects.toThrow(
      'the target does not name a kubeconfig, and web does not run in a pod',
    );
  });

  test('[KUBE-CFG2] one that can be used, by a credential helper', async () => {
    const helper = join(directory, 'helper');
    const answer = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'fresh' },
    };
    await writeFile(helper, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
    await chmod(helper, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: helper, interactiveMode: 'Never' };
    const access = await load(JSON.stringify({ ...config, users: [{ name: 'u', user: { exec } }] }));
    const options: { headers?: Record<string, string> } = {};
    await access.authorize(options);
    expect(options.headers?.['Authorization']).toBe('Bearer fresh');
    expect(access.place).toMatchObject({ worker: 'prod', namespace: 'ci', server: 'https://127.0.0.1:1' });
  });
});

describe('an API server that refuses', () => {
  const signal = new AbortController().signal;
  const forbidden = (message: string, details = {}) => ({ code: 403, status: { message, details } });

  test.each<[HostErrorCode | ApiAnswer, RegExp, { code: number; status?: StatusBody }]>([
    ['unauthorized', /does not accept the credentials in the context test of .*Make new ones$/, { code: 401 }],
    [
      'forbidden',
      /Does the namespace ci exist\? If so, bind the Role seaplane-target .* to the account of the context test of/,
      forbidden('pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "ci"'),
    ],
    ['forbidden', /HTTP status 403\. Does the namespace ci exist/, { code: 403 }],
    [
      'refused',
      /The LimitRange of the namespace ci refuses it: change the step's container_limits/,
      forbidden('pods "x" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi'),
    ],
    [
      'refused',
      /wants limits on every container: give the namespace a LimitRange with defaults$/,
      forbidden('pods "x" is forbidden: failed quota: q: must specify limits.cpu for: baggageclaim,main'),
    ],
    [
      'refused',
      /serviceaccount "ci" not found$/,
      forbidden('pods "x" is forbidden: error looking up service account ci/ci: serviceaccount "ci" not found'),
    ],
    [
      'quota',
      /exceeded quota: q.* The namespace ci has used up its quota/,
      forbidden('pods "x" is forbidden: exceeded quota: q'),
    ],
    [
      'refused',
      /Label the namespace ci with a Pod Security level/,
      forbidden('pods "x" is forbidden: violates PodSecurity "restricted:latest"'),
    ],
    [
      'location-gone',
      /Make the namespace ci and bind the Role/,
      forbidden('unable to create', { causes: [{ reason: 'NamespaceTerminating' }] }),
    ],
    [
      'location-gone',
      /Make the namespace ci/,
      { code: 404, status: { message: 'namespaces "ci" not found', details: { kind: 'namespaces' } } },
    ],
    [
      'not-found',
      /pods "x" not found$/,
      { code: 404, status: { message: 'pods "x" not found', details: { kind: 'pods' } } },
    ],
    ['conflict', /already exists$/, { code: 409, status: { message: 'already exists' } }],
    ['expired', /too old$/, { code: 410, status: { message: 'too old' } }],
    ['refused', /spec is invalid$/, { code: 422, status: { message: 'spec is invalid' } }],
    ['overloaded', /HTTP status 429$/, { code: 429 }],
    ['overloaded', /HTTP status 503$/, { code: 503 }],
  ])('[KUBE-CFG3] %s: %s', async (code, words, answer) => {
    await using server = await FakeApiServer.start();
    await using fake = await fakeTarget(server.url);
    using api = new KubeApi(() => loadCluster(fake.target));
    server.intercept = () => answer;
    const failure = api.request({ method: 'GET', path: '/x', what: 'read the pod x', signal });
    await expect(failure).rejects.toThrow(/^worker fake could not read the pod x: /);
    await expect(failure).rejects.toThrow(words);
    await expect(failure).rejects.toSatisfy((error: HostError) =>
      error instanceof ApiError ? error.answer === code : error.code === code,
    );
  });

  test('[KUBE-CFG4] one that is not there', async () => {
    await using fake = await fakeTarget('http://127.0.0.1:1');
    using api = new KubeApi(() => loadCluster(fake.target));
    const failure = api.request({ method: 'GET', path: '/x', what: 'list pods', signal });
    await expect(failure).rejects.toMatchObject({ code: 'unreachable' });
    await expect(failure).rejects.toThrow(
      /^worker fake could not list pods: the API server at http:\/\/127.0.0.1:1 does not answer \(connect ECONNREFUSED 127.0.0.1:1\). Is the cluster up/,
    );
  });

  test('[KUBE-CFG4] one that speaks no TLS, or is another', async () => {
    await using server = await FakeApiServer.start();
    await using fake = await fakeTarget(server.url.replace('http:', 'https:'));
    using api = new KubeApi(() => loadCluster(fake.target));
    const failure = api.request({ method: 'GET', path: '/x', what: 'list pods', signal });
    await expect(failure).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('[KUBE-CFG5] a kubeconfig that is mended is taken up without a restart', async () => {
    await using server = await FakeApiServer.start();
    await using fake = await fakeTarget(server.url, 'expired');
    using api = new KubeApi(() => loadCluster(fake.target));
    server.put('/things', { metadata: { name: 'a' } });
    const read = () => api.request({ method: 'GET', path: '/things/a', what: 'read', signal });
    await expect(read()).rejects.toMatchObject({ code: 'unauthorized' });
    await fake.write(server.url, 'good');
    await expect(read()).resolves.toMatchObject({ metadata: { name: 'a' } });
  });

  test('[KUBE-CFG5] one that named another server is taken up too; one that is being written is not', async () => {
    await using server = await FakeApiServer.start();
    await using fake = await fakeTarget('http://127.0.0.1:1');
    using api = new KubeApi(() => loadCluster(fake.target));
    server.put('/things', { metadata: { name: 'a' } });
    const read = () => api.request({ method: 'GET', path: '/things/a', what: 'read', signal });
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await fake.write(server.url, 'good');
    await expect(read()).resolves.toMatchObject({ metadata: { name: 'a' } });
    await writeFile(fake.kubeconfig, '{"half');
    await expect(read()).resolves.toMatchObject({ metadata: { name: 'a' } });
  });

  test('[KUBE-CFG6] the signal ends a request, with its own reason', async () => {
    await using server = await FakeApiServer.start();
    await using fake = await fakeTarget(server.url);
    using api = new KubeApi(() => loadCluster(fake.target));
    const stop = new AbortController();
    const path = '/things';
    const lines = api.lines({ method: 'GET', path, query: { watch: 'true' }, what: 'watch', signal: stop.signal });
    const next = lines.next();
    await expect.poll(() => server.watching).toBe(1);
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});
