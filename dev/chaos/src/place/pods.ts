import { run } from '@seaplane/dev-toolchain/run.ts';

const LABEL = 'seaplane.dev/';

/** A pod of the namespace, as far as faults need it. */
export interface ShownPod {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  readonly component: string;
  /** Absent: checks share the pod, or it is the store. */
  readonly buildId?: number;
  readonly step: string;
  readonly phase: string;
  readonly goes: boolean;
}

export interface Kubectl {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly namespace: string;
}

interface PodJson {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status: { readonly podIP?: string; readonly phase: string };
}

export function kubectl({ kubectl, kubeconfig, namespace }: Kubectl, args: readonly string[], input = '') {
  return run(kubectl, ['--kubeconfig', kubeconfig, '-n', namespace, '--request-timeout=10s', ...args], { input });
}

/** Every pod of the namespace, in the order of their names. */
export async function listPods(place: Kubectl): Promise<ShownPod[]> {
  const { stdout } = await kubectl(place, ['get', 'pods', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: PodJson[] };
  return items.map(({ metadata, status }) => {
    const labels = metadata.labels ?? {};
    const buildId = labels[`${LABEL}build-id`];
    return {
      name: metadata.name,
      uid: metadata.uid,
      ip: status.podIP ?? '',
      component: labels[`${LABEL}component`] ?? '',
      ...(buildId ? { buildId: Number(buildId) } : {}),
      step: `${labels[`${LABEL}type`] ?? ''} ${labels[`${LABEL}step`] ?? ''}`,
      phase: status.phase,
      goes: metadata.deletionTimestamp !== undefined,
    };
  });
}
