import { HostError, parseWorker, systemClock } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { kubernetesKind } from './kubernetes-kind.ts';
import { parseTarget } from './testing/parse-target.ts';

const GI = 2 ** 30;
/** The published types, one of them. */
const PUBLISHED = expect.objectContaining({ git: { image: 'docker.io/concourse/git-resource', privileged: false } });
const minimal = { name: 'prod', namespace: 'ci', images: { baggageclaim: 'example.com/baggageclaim:1' } };

test('[KUBE-TGT1] a target needs a namespace and the image of the sidecar; every other field has a default', () => {
  expect(parseTarget(minimal)).toEqual({
    name: 'prod',
    installation: 'test',
    cluster: { kind: 'in-cluster' },
    namespace: 'ci',
    baggageclaimImage: 'example.com/baggageclaim:1',
    registryImages: 'nodes',
    allowPrivileged: false,
    allowRawSockets: false,
    userNamespaces: 'auto',
    store: { kind: 'ephemeral', sizeLimit: '50Gi' },
    storeLimits: { artifactBytes: 20 * GI, teamBytes: 37.5 * GI },
    waitForRoomMs: 24 * 3_600_000,
    keptPods: 30,
    template: {},
    locked: {},
  });
});

test('[KUBE-TGT1] everything that can be set', () => {
  const fields = {
    nodeSelector: { pool: 'ci' },
    tolerations: [{ key: 'ci', operator: 'Exists' }],
    runtimeClass: 'gvisor',
    serviceAccount: 'steps',
    labels: { cost: 'ci', empty: '' },
    requests: { cpu: 1, memory: '64Mi' },
  };
  const target = parseTarget({
    ...minimal,
    images: { ...minimal.images, registryImages: 'store' },
    kubeconfig: '/etc/seaplane/prod.kubeconfig',
    context: 'admin@prod',
    allowPrivileged: true,
    allowRawSockets: true,
    userNamespaces: 'off',
    store: { size: '100Gi', storageClass: 'fast', artifactLimit: '1Gi', teamLimit: '10Gi' },
    waitForRoom: '90m',
    keptPods: 5,
    template: { dnsPolicy: 'Default', limits: { memory: '1Gi' } },
    locked: fields,
  });
  expect(target).toEqual({
    name: 'prod',
    installation: 'test',
    cluster: { kind: 'kubeconfig', path: '/etc/seaplane/prod.kubeconfig', context: 'admin@prod' },
    namespace: 'ci',
    baggageclaimImage: 'example.com/baggageclaim:1',
    registryImages: 'store',
    allowPrivileged: true,
    allowRawSockets: true,
    userNamespaces: 'off',
    store: { kind: 'volume', size: '100Gi', storageClass: 'fast' },
    storeLimits: { artifactBytes: GI, teamBytes: 10 * GI },
    waitForRoomMs: 90 * 60_000,
    keptPods: 5,
    template: { dnsPolicy: 'Default', limits: { memory: '1Gi' } },
    locked: { ...fields, requests: { cpu: '1', memory: '64Mi' } },
  });
});

const SERVICES = {
  installation: 'i',
  publicKey: '',
  authorityKey: '',
  client: () => {
    throw new Error('nothing to connect to');
  },
  clock: systemClock,
  relay: () => Promise.reject(new Error('not in this test')),
  onTrouble: () => {},
};

test.each([
  ['nodes', 'public'],
  ['store', undefined],
])('[KUBE-TGT4] with registryImages: %s, the host pulls %s images', (registryImages, pulls) => {
  const entry = { ...minimal, kubeconfig: '/no/such/file', images: { ...minimal.images, registryImages } };
  using host = parseWorker([kubernetesKind], 'target', entry).openHost(SERVICES);
  expect(host.pulls).toBe(pulls);
});

test('[KUBE-TGT3] the kind opens a host with the worker’s name; the cluster need not be there', async () => {
  const entry = { ...minimal, kind: 'kubernetes', kubeconfig: '/no/such/file', tags: ['gpu'] };
  const { config, openHost } = parseWorker([kubernetesKind], 'target', entry);
  expect(config).toEqual({ name: 'prod', tags: ['gpu'], platform: 'linux', baseTypes: PUBLISHED });
  using host = openHost(SERVICES);
  expect(host.name).toBe('prod');
  const { usable, problems } = await host.check(AbortSignal.timeout(10_000));
  expect(usable).toBe(false);
  expect(problems).toEqual([expect.stringMatching(/^worker prod: the kubeconfig \/no\/such\/file can't be read/)]);
});

test.each([
  ['target must be an object (it is a list)', []],
  ['target.namespace is missing', { ...minimal, namespace: undefined }],
  ['target.namespace must be lower case letters', { ...minimal, namespace: 'My NS' }],
  ['target.images.baggageclaim is missing', { ...minimal, images: {} }],
  ['target.userNamespaces must be auto or on or off', { ...minimal, userNamespaces: 'yes' }],
  ['target.context needs target.kubeconfig beside it', { ...minimal, context: 'x' }],
  ['target.store.storageClass needs target.store.size beside it', { ...minimal, store: { storageClass: 'x' } }],
  [
    'target.store.sizeLimit is for a store without target.store.size',
    { ...minimal, store: { size: '1Gi', sizeLimit: '1Gi' } },
  ],
  ['target.store.teamLimit must be a quantity', { ...minimal, store: { teamLimit: 'much' } }],
  ['target.store has no field teamlimit', { ...minimal, store: { teamlimit: '1Gi' } }],
  ['target has no field nameSpace; it has: ', { ...minimal, nameSpace: 'x' }],
  ['target.locked has no field hostNetwork', { ...minimal, locked: { hostNetwork: true } }],
  ['target.template.requests.cpu must be a quantity', { ...minimal, template: { requests: { cpu: 'much' } } }],
  [
    'target.locked.labels.seaplane.dev/worker is reserved',
    { ...minimal, locked: { labels: { 'seaplane.dev/worker': 'x' } } },
  ],
  ['target.waitForRoom must be a duration such as 90m or 12h', { ...minimal, waitForRoom: 'soon' }],
  ['target.keptPods must be a whole number', { ...minimal, keptPods: -1 }],
])('[KUBE-TGT2] a mistake is named by its path: %s', (message, value) => {
  expect(() => parseTarget(value)).toThrow(HostError);
  expect(() => parseTarget(value)).toThrow(message);
});

test('[KUBE-TGT2] a complaint does not show the value, which may be a secret in the wrong place', () => {
  expect(() => parseTarget({ ...minimal, allowPrivileged: 'hunter2' })).toThrow(/^(?!.*hunter2)/);
});
