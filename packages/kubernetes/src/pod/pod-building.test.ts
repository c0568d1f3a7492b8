import { HostError, type SandboxSpec } from '@seaplane/orchestrator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, Pod } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { anyText } from '../testing/any-text.ts';
import { parseTarget } from '../testing/parse-target.ts';
import { buildStepPod } from './pod-building.ts';
import { type PodFields, parsePodFields } from './pod-fields.ts';
import type { PodSettings } from './pod-settings.ts';

const witness = { name: 'store-prod', url: 'https://10.96.0.7:7788' };
const settings: PodSettings = { publicKey: 'PUBLIC', userNamespaces: true, witness };
const target = parseTarget({ name: 'prod', namespace: 'ci', images: { baggageclaim: 'sidecar:1' } });
const spec: SandboxSpec = {
  handle: 'task-7-abc',
  image: { reference: 'example.com/image@sha256:00' },
  privileged: false,
  hermetic: false,
  mounts: [],
  labels: { type: 'task', team: 'main', pipeline: 'my pipeline', job: 'unit', build: '3', buildId: 7, step: 'run' },
};

function build(change: Partial<SandboxSpec> = {}, on: Partial<Target> = {}): Pod {
  return buildStepPod({ ...target, ...on }, settings, { ...spec, ...change });
}
const podSpec = (pod: Pod) => pod.spec as NonNullable<Pod['spec']>;
const main = (pod: Pod) => podSpec(pod).containers[0] as NonNullable<Pod['spec']>['containers'][0];

test('[KUBE-POD1] the pod of a step', () => {
  const work = { name: 'work', mountPath: '/tmp/build' };
  const { metadata, spec: built } = build();
  expect(metadata).toMatchObject({ name: 'task-7-abc', namespace: 'ci' });
  expect(built).toEqual({
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 10,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostUsers: false,
    dnsPolicy: 'ClusterFirst',
    securityContext: {
      runAsUser: 0,
      runAsGroup: 0,
      seccompProfile: { type: 'RuntimeDefault' },
      supplementalGroupsPolicy: 'Strict',
      sysctls: [{ name: 'net.ipv4.ping_group_range', value: '0 65535' }],
    },
    initContainers: [
      {
        name: 'baggageclaim',
        image: 'sidecar:1',
        imagePullPolicy: 'IfNotPresent',
        restartPolicy: 'Always',
        env: [
          { name: 'SEAPLANE_HANDLE', value: 'task-7-abc' },
          { name: 'SEAPLANE_PUBLIC_KEY', value: 'PUBLIC' },
          {
            name: 'SEAPLANE_AUTHORITY_KEY',
            valueFrom: {
              secretKeyRef: { name: expect.stringMatching(/^authority-prod-test-public-[0-9a-f]+$/), key: 'key' },
            },
          },
        ],
        ports: [{ name: 'baggageclaim', containerPort: 7788 }],
        lifecycle: { postStart: { exec: { command: ['/supervisor', '--install', '/tmp/seaplane/supervisor'] } } },
        resources: {
          requests: { cpu: '5m', memory: '32Mi', 'ephemeral-storage': '16Mi' },
          limits: { memory: '512Mi' },
        },
        securityContext: { allowPrivilegeEscalation: false },
        volumeMounts: [
          { name: 'control', mountPath: '/tmp/seaplane' },
          { name: 'records', mountPath: '/tmp/seaplane/records' },
          { name: 'sidecar', mountPath: '/seaplane-sidecar' },
          work,
        ],
      },
    ],
    containers: [
      {
        name: 'main',
        image: 'example.com/image@sha256:00',
        imagePullPolicy: 'IfNotPresent',
        command: ['/tmp/seaplane/supervisor'],
        workingDir: '/',
        resources: { requests: { cpu: '10m', memory: '32Mi', 'ephemeral-storage': '32Mi' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['NET_RAW'] } },
        volumeMounts: [
          { name: 'control', mountPath: '/tmp/seaplane', readOnly: true },
          { name: 'records', mountPath: '/tmp/seaplane/records' },
          work,
        ],
      },
    ],
    volumes: [
      { name: 'control', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'records', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'sidecar', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'work', emptyDir: {} },
    ],
  });
});

test('[KUBE-POD18] a built-in type runs from the image of the sidecar, which is there already', () => {
  const mainOf = (image: SandboxSpec['image']) => build({ image }).spec?.containers[0];
  expect(mainOf({ reference: 'builtin:git' })).toMatchObject({
    image: 'sidecar:1',
    env: [{ name: 'SEAPLANE_RESOURCE_TYPE', value: 'git' }],
  });
  expect(() => mainOf({ reference: 'builtin:none' })).toThrow(
    'there is no built-in resource type none, only git, registry-image, time',
  );
  const named = mainOf({ reference: 'builtin:git', fromPipeline: true });
  expect(named).toMatchObject({ image: 'builtin:git' });
  expect(named).not.toHaveProperty('env');
});

test('[KUBE-POD2] labels to select by, annotations with the full values', () => {
  const { name, labels = {}, annotations = {} } = build({ hermetic: true }).metadata ?? {};
  expect(name).toBe('task-7-abc');
  expect(labels).toMatchObject({
    'seaplane.dev/installation': 'test',
    'seaplane.dev/worker': 'prod',
    'seaplane.dev/component': 'step',
    'seaplane.dev/team': 'main',
    'seaplane.dev/job': 'unit',
    'seaplane.dev/build': '3',
    'seaplane.dev/build-id': '7',
    'seaplane.dev/step': 'run',
    'seaplane.dev/type': 'task',
    'seaplane.dev/handle': 'task-7-abc',
    'seaplane.dev/hermetic': 'true',
  });
  expect(labels['seaplane.dev/pipeline']).toMatch(/^my-pipeline-[0-9a-f]+$/);
  expect(labels).not.toHaveProperty(['seaplane.dev/attempt']);
  expect(annotations['seaplane.dev/pipeline']).toBe('my pipeline');
});

test("[KUBE-POD3] a path outside of the build directory is a volume there in the step's container, but not in the sidecar", () => {
  const mounts = ['/srv/in', '/usr'];
  const pod = podSpec(build({ mounts }));
  const added = (container: Container | undefined, without: Container | undefined) =>
    container?.volumeMounts?.slice(without?.volumeMounts?.length);
  const bare = podSpec(build({}));
  expect(added(pod.containers[0], bare.containers[0])).toEqual([
    { name: 'work', mountPath: '/srv/in', subPath: '.mounts/0' },
    { name: 'work', mountPath: '/usr', subPath: '.mounts/1' },
  ]);
  expect(added(pod.initContainers?.[0], bare.initContainers?.[0])).toEqual([
    { name: 'work', mountPath: '/seaplane-mounts/srv/in', subPath: '.mounts/0' },
    { name: 'work', mountPath: '/seaplane-mounts/usr', subPath: '.mounts/1' },
  ]);
  expect(pod.volumes).toEqual(bare.volumes);
  expect(pod.initContainers?.[0]?.env).toContainEqual({ name: 'SEAPLANE_MOUNTS', value: '["/srv/in","/usr"]' });
  const odd = podSpec(build({ mounts: ['/srv/$(SEAPLANE_HANDLE)'] }));
  expect(odd.initContainers?.[0]?.env).toContainEqual({
    name: 'SEAPLANE_MOUNTS',
    value: '["/srv/$$(SEAPLANE_HANDLE)"]',
  });
});

test('[KUBE-POD12] the sidecar of a hermetic step is told how to prove that its network is closed', () => {
  const environment = (pod: Pod) => podSpec(pod).initContainers?.[0]?.env;
  const told = { name: 'SEAPLANE_WITNESS', value: '{"name":"store-prod","url":"https://10.96.0.7:7788"}' };
  expect(environment(build({ hermetic: true }))).toContainEqual(told);
  expect(environment(build())).not.toContainEqual(expect.objectContaining({ name: told.name }));
  const without = { publicKey: 'PUBLIC', userNamespaces: true };
  expect(() => buildStepPod(target, without, { ...spec, hermetic: true })).toThrow('without a witness');
});

test("[KUBE-POD10] the step's container has nothing of the sidecar's own, and writes only records beside it", () => {
  const mounts = main(build({ mounts: ['/srv/in'] })).volumeMounts?.filter(({ name }) => name !== 'work');
  expect(mounts?.map(({ name, mountPath, readOnly }) => [name, mountPath, readOnly ?? false])).toEqual([
    ['control', '/tmp/seaplane', true],
    ['records', '/tmp/seaplane/records', false],
  ]);
});

describe('privilege', () => {
  test('[KUBE-POD4] a privileged step is refused, in words, unless the target allows it', () => {
    const attempt = () => build({ privileged: true });
    expect(attempt).toThrow(HostError);
    expect(attempt).toThrow(/the step run asks to run privileged, and worker prod does not allow that/);
  });

  test('[KUBE-POD4] where it is allowed, it is outside of a user namespace, and only the step is privileged', () => {
    const pod = podSpec(build({ privileged: true }, { allowPrivileged: true }));
    expect(pod.hostUsers).toBeUndefined();
    expect(pod.containers[0]?.securityContext).toEqual({ privileged: true });
    expect(pod.initContainers?.[0]?.securityContext).toEqual({ allowPrivilegeEscalation: false });
  });

  test('[KUBE-POD11] unless the target allows raw sockets, only a privileged step has them', () => {
    expect(main(build()).securityContext?.capabilities).toEqual({ drop: ['NET_RAW'] });
    expect(main(build({}, { allowRawSockets: true })).securityContext?.capabilities).toBeUndefined();
    const privileged = main(build({ privileged: true }, { allowPrivileged: true }));
    expect(privileged.securityContext).toEqual({ privileged: true });
  });

  test('[KUBE-POD5] user namespaces only where the cluster has them', () => {
    expect(podSpec(build()).hostUsers).toBe(false);
    expect(podSpec(buildStepPod(target, { ...settings, userNamespaces: false }, spec)).hostUsers).toBeUndefined();
  });

  test('[KUBE-POD19] groups of the image are left to the supervisor only in a user namespace', () => {
    const policy = (pod: Pod) => podSpec(pod).securityContext?.supplementalGroupsPolicy;
    expect(policy(build())).toBe('Strict');
    expect(policy(buildStepPod(target, { ...settings, userNamespaces: false }, spec))).toBeUndefined();
    expect(policy(build({ privileged: true }, { allowPrivileged: true }))).toBeUndefined();
  });
});

describe('resources', () => {
  test('[KUBE-POD6] CPU shares are a request, 1024 to a core; memory is a request and a limit', () => {
    expect(main(build({ limits: { cpu: 512, memory: 1 << 30 } })).resources).toEqual({
      requests: { cpu: '500m', memory: '1073741824', 'ephemeral-storage': '32Mi' },
      limits: { memory: '1073741824' },
    });
    expect(main(build({ limits: { cpu: 1 } })).resources?.requests?.['cpu']).toBe('1m');
  });

  test('[KUBE-POD6] limits of 0 are none', () => {
    expect(main(build({ limits: { cpu: 0, memory: 0 } })).resources).toEqual(main(build()).resources);
  });

  test('[KUBE-POD6] a request never exceeds its limit', () => {
    const locked = { limits: { memory: '1Gi', cpu: '250m' } };
    expect(main(build({ limits: { cpu: 2048, memory: 2 ** 32 } }, { locked })).resources).toMatchObject({
      requests: { cpu: '250m', memory: '1Gi' },
      limits: { cpu: '250m', memory: '1Gi' },
    });
  });
});

describe('layers', () => {
  test('[KUBE-POD7] our defaults < the template < the step < the locked fields', () => {
    const template = { requests: { cpu: '2', memory: '2Gi' }, dnsPolicy: 'Default' } as const;
    expect(podSpec(build({}, { template })).dnsPolicy).toBe('Default');
    expect(main(build({}, { template })).resources?.requests).toMatchObject({ cpu: '2', 'ephemeral-storage': '32Mi' });
    const step = { limits: { cpu: 1024 } };
    expect(main(build(step, { template })).resources?.requests).toMatchObject({ cpu: '1000m', memory: '2Gi' });
    const locked = { requests: { cpu: '3' } };
    expect(main(build(step, { template, locked })).resources?.requests).toMatchObject({ cpu: '3', memory: '2Gi' });
  });

  test('[KUBE-POD7] a target may have name servers and names of hosts of its own', () => {
    const template = parsePodFields('template', {
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.53'], searches: ['corp.example'] },
      hostAliases: [{ ip: '10.0.0.7', hostnames: ['git.corp.example'] }],
    });
    expect(podSpec(build({}, { template }))).toMatchObject({
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.53'], searches: ['corp.example'] },
      hostAliases: [{ ip: '10.0.0.7', hostnames: ['git.corp.example'] }],
    });
    expect(podSpec(build({}))).not.toHaveProperty('dnsConfig');
    expect(() => parsePodFields('template', { dnsConfig: '10.0.0.53' })).toThrow(
      'template.dnsConfig must be an object',
    );
  });

  const someText = anyText(80);
  const anySpec: fc.Arbitrary<SandboxSpec> = fc.record(
    {
      handle: someText,
      image: fc.record({ reference: someText }),
      privileged: fc.boolean(),
      hermetic: fc.boolean(),
      limits: fc.record({ cpu: fc.nat(), memory: fc.nat() }, { requiredKeys: [] }),
      mounts: fc.array(someText),
      labels: fc.record(
        {
          type: fc.constantFrom('check', 'get', 'put', 'task', 'run'),
          team: someText,
          pipeline: someText,
          job: someText,
          build: someText,
          buildId: fc.nat(),
          step: someText,
          attempt: someText,
        },
        { requiredKeys: ['type', 'team', 'step'] },
      ),
    },
    { requiredKeys: ['handle', 'image', 'privileged', 'hermetic', 'mounts', 'labels'] },
  );
  const anyMap = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{1,8}$/));
  const anyFields = fc.record(
    {
      nodeSelector: anyMap,
      tolerations: fc.array(fc.record({ key: someText })),
      affinity: fc.constant({ nodeAffinity: {} }),
      runtimeClass: someText,
      serviceAccount: someText,
      priorityClass: someText,
      dnsPolicy: fc.constantFrom('Default', 'ClusterFirst'),
      imagePullSecrets: fc.array(someText),
      labels: anyMap,
      annotations: anyMap,
      requests: fc.record({ cpu: fc.constantFrom('1m', '2') }),
      limits: fc.record({ cpu: fc.constantFrom('3', '4'), memory: fc.constantFrom('1Gi', '2Gi') }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<PodFields>;

  test('[KUBE-POD8] no pipeline changes a locked field', () => {
    fc.assert(
      fc.property(anySpec, anyFields, anyFields, (anything, template, locked) => {
        const pod = build(anything, { template, locked, allowPrivileged: true });
        const { resources } = main(pod);
        expect(pod.metadata?.labels).toMatchObject(locked.labels ?? {});
        expect(pod.metadata?.annotations).toMatchObject(locked.annotations ?? {});
        expect(resources?.requests).toMatchObject(locked.requests ?? {});
        expect(resources?.limits ?? {}).toMatchObject(locked.limits ?? {});
        const set = podSpec(pod);
        expect(set.nodeSelector ?? {}).toMatchObject(locked.nodeSelector ?? {});
        const pairs: [unknown, unknown][] = [
          [set.tolerations, locked.tolerations],
          [set.affinity, locked.affinity],
          [set.runtimeClassName, locked.runtimeClass],
          [set.serviceAccountName, locked.serviceAccount],
          [set.priorityClassName, locked.priorityClass],
          [set.dnsPolicy, locked.dnsPolicy],
          [set.imagePullSecrets, locked.imagePullSecrets?.map((name) => ({ name }))],
        ];
        for (const [built, wanted] of pairs) if (wanted !== undefined) expect(built).toEqual(wanted);
      }),
    );
  });

  test('[KUBE-POD8] no pipeline changes a part of the pod that is ours', () => {
    const ours = (pod: Pod) => {
      const { initContainers, containers, ...rest } = podSpec(pod);
      const { env, volumeMounts, ...sidecar } = initContainers?.[0] ?? { name: '' };
      // A privileged step has no user namespace.
      const securityContext = { ...rest.securityContext, supplementalGroupsPolicy: null };
      return { ...rest, hostUsers: null, securityContext, sidecar, count: [initContainers?.length, containers.length] };
    };
    const expected = ours(build());
    fc.assert(
      fc.property(anySpec, (anything) => {
        expect(ours(build(anything, { allowPrivileged: true }))).toEqual(expected);
      }),
    );
  });

  test('[KUBE-POD9] nothing but the handle, the public key, the name of a Secret, paths and the store’s address is in any environment', () => {
    fc.assert(
      fc.property(anySpec, (anything) => {
        const pod = podSpec(build(anything, { allowPrivileged: true }));
        expect(main(build(anything, { allowPrivileged: true })).env).toBeUndefined();
        const values = pod.initContainers?.[0]?.env?.flatMap(({ value }) => value ?? []);
        const paths = JSON.stringify(anything.mounts).replaceAll('$', '$$$$');
        expect(values).toEqual([
          anything.handle,
          'PUBLIC',
          ...(anything.mounts.length > 0 ? [paths] : []),
          ...(anything.hermetic ? [JSON.stringify(witness)] : []),
        ]);
        expect(pod.volumes?.every(({ emptyDir }) => emptyDir)).toBe(true);
      }),
    );
  });
});

test('[KUBE-POD17] certificates of the target are those of checks, gets and puts, and tasks keep their own', () => {
  const labels = { ...spec.labels, type: 'get' } as const;
  const got = build({ labels }, { certificates: 'company-ca' });
  expect(podSpec(got).volumes).toContainEqual({ name: 'certificates', configMap: { name: 'company-ca' } });
  expect(main(got).volumeMounts).toContainEqual({
    name: 'certificates',
    mountPath: '/etc/ssl/certs',
    readOnly: true,
  });
  expect(build({}, { certificates: 'company-ca' })).toEqual(build());
  expect(build({ labels })).toEqual(build({ labels }, {}));
});
