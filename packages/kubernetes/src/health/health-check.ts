import { type BaggageclaimClient, BaggageclaimError } from '@seaplane/baggageclaim';
import type { HostError, HostHealth } from '@seaplane/orchestrator';
import { hasCode } from '../api/api-error.ts';
import type { KnownRights } from '../api/known-rights.ts';
import { collectionPath, create, type Namespace } from '../api/objects.ts';
import { ownerOf } from '../api/own-objects.ts';
import { listAll } from '../api/reflector.ts';
import type { Pod } from '../api/wire.ts';
import { foreignSelector } from '../pod/labels.ts';
import { buildStepPod } from '../pod/pod-building.ts';
import type { PodSettings } from '../pod/pod-settings.ts';
import type { Target } from '../target.ts';

export interface HealthCheckParts {
  readonly target: Target;
  readonly namespace: Namespace;
  readonly rights: Pick<KnownRights, 'missing'>;
  readonly settings: (signal: AbortSignal) => Promise<PodSettings>;
  readonly store: () => Promise<BaggageclaimClient>;
  readonly storeWaitsFor: () => string;
  readonly nodePortProblem: (signal: AbortSignal) => Promise<string | undefined>;
}

const STORE_PATIENCE_MS = 10_000;

/**
 * Checks whether steps can run: the API server answers, no right is missing, the API server would admit a step's pod, the
 * store answers, and nodes reach the store's images. A failed check makes the later ones unnecessary.
 */
export async function checkHealth(parts: HealthCheckParts, signal: AbortSignal): Promise<HostHealth> {
  const { target } = parts;
  try {
    const missing = await parts.rights.missing(signal);
    const settings = await parts.settings(signal);
    const refusal = await admissionRefusal(parts, settings, signal);
    const usable = !refusal || refusal.code === 'quota'; // there is room again when other steps end
    if (missing.needed.length > 0) return { usable, problems: [...missing.needed, ...missing.optional] };
    if (refusal) return { usable, problems: [refusal.message, ...missing.optional] };
    const foreign = await foreignProblem(parts, signal);
    const store = await storeProblems(parts, signal);
    return {
      usable: usable && !store.taken,
      problems: [...userNamespaceProblem(target, settings), ...missing.optional, ...foreign, ...store.problems],
    };
  } catch (error) {
    if (signal.aborted) return overtime(target, signal.reason);
    return { usable: false, problems: [(error as Error).message] };
  }
}

/** A time-out is a problem of the cluster. Any other reason to end the check is thrown. */
function overtime(target: Target, reason: unknown): HostHealth {
  if (!(reason instanceof DOMException && reason.name === 'TimeoutError')) throw reason;
  const problem = `the health check of worker ${target.name} did not end in time: its API server is slow, or does not answer`;
  return { usable: false, problems: [problem] };
}

/** Lets the API server judge a step's pod without making it: namespace, quota, Pod Security, webhooks. */
async function admissionRefusal(
  { target, namespace }: HealthCheckParts,
  settings: PodSettings,
  signal: AbortSignal,
): Promise<HostError | undefined> {
  const pod = buildStepPod(target, settings, {
    handle: `health-check-${target.name}`,
    image: { reference: target.baggageclaimImage },
    privileged: false,
    hermetic: false,
    mounts: [],
    labels: { type: 'check', team: 'none', step: 'health check' },
  });
  try {
    await create(namespace, 'pods', pod, signal, { dryRun: 'All' });
    return undefined;
  } catch (error) {
    if (hasCode(error, 'location-gone', 'refused', 'forbidden', 'quota')) return error;
    throw error;
  }
}

function userNamespaceProblem(target: Target, { userNamespaces }: PodSettings): string[] {
  if (userNamespaces || target.userNamespaces === 'off') return [];
  return [
    "the cluster's version has no user namespaces by default, so root in a step is root on its node: upgrade to " +
      'Kubernetes 1.33, or set userNamespaces to on where they are switched on, or to off to accept it',
  ];
}

/** Names the pods of other installations for a worker of the same name: one of the two webs may have a wrong database. */
async function foreignProblem({ target, namespace }: HealthCheckParts, signal: AbortSignal): Promise<string[]> {
  const path = collectionPath(namespace, 'pods');
  const selectors = { labelSelector: foreignSelector(target) };
  const { objects } = await listAll<Pod>({ api: namespace.api, path, what: 'its pods', selectors }, signal);
  const [first] = objects;
  if (!first) return [];
  const pods = objects.length === 1 ? '1 pod' : `${objects.length} pods`;
  return [
    `the namespace ${target.namespace} has ${pods} of ${ownerOf(target, first.metadata?.labels)} for a worker of the same ` +
      `name, such as ${first.metadata?.name}: web leaves them alone. If web uses the right database, give this worker a ` +
      'namespace of its own, or delete the pods if nobody needs them',
  ];
}

interface StoreHealth {
  /** Another installation has the store's name, so this worker can't have a store. */
  readonly taken?: boolean;
  readonly problems: readonly string[];
}

async function storeProblems(parts: HealthCheckParts, signal: AbortSignal): Promise<StoreHealth> {
  const limit = AbortSignal.timeout(STORE_PATIENCE_MS);
  try {
    const store = await Promise.race([parts.store(), aborted(AbortSignal.any([signal, limit]))]);
    if (!store) {
      signal.throwIfAborted();
      return { problems: [withImageAdvice(parts.target, `the store is not up: ${parts.storeWaitsFor()}`)] };
    }
    // A signed request, since the store answers unsigned health requests of anybody.
    await store.hasArtifact('health-check', AbortSignal.any([signal, limit]));
  } catch (error) {
    signal.throwIfAborted();
    if (hasCode(error, 'name-taken')) return { taken: true, problems: [error.message] };
    const problem = hasCode(error, 'store') ? error.message : storeRefusal(error as Error);
    return { problems: [withImageAdvice(parts.target, problem)] };
  }
  const problem = await parts.nodePortProblem(signal);
  return { problems: problem ? [problem] : [] };
}

function storeRefusal(error: Error): string {
  const said = `the store does not answer: ${error.message}`;
  const refused = error instanceof BaggageclaimError && error.code === 'unauthorized';
  return refused ? `${said}. All webs on one database must share one signing-key` : said;
}

/** The sidecar's image is the operator's own: nobody publishes it. */
function withImageAdvice({ baggageclaimImage: image }: Target, problem: string): string {
  if (!problem.includes(`the image ${image} can't be pulled`)) return problem;
  return (
    `${problem}. To make it and push it, type in Seaplane's source: docker build --target baggageclaim -t ${image} . && ` +
    `docker push ${image}. Another name is set with --baggageclaim-image, or with images.baggageclaim of a target`
  );
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
