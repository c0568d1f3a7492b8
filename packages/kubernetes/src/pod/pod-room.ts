import type { Container, Pod } from '../api/wire.ts';
import { containerStatus, MAIN } from './containers.ts';
import { KEY } from './labels.ts';
import { parseQuantity } from './quantity.ts';

/** The requests of a step's container after its process has ended: enough for the supervisor. */
const RELEASED: Readonly<Record<string, string>> = { cpu: '1m', memory: '4Mi' };
/** Requests up to these, our defaults, are next to nothing: they are not worth a request to the API server. */
const LITTLE: Readonly<Record<string, string>> = { cpu: '10m', memory: '32Mi' };

type Requests = NonNullable<NonNullable<Container['resources']>['requests']>;

/** Whether the pod asks for more CPU or memory for its step than next to nothing. */
export function asksForRoom(pod: Pod): boolean {
  return !isOver(pod) && exceedsLittle(pod.spec?.containers.find(({ name }) => name === MAIN)?.resources?.requests);
}

/** Whether the pod's node still counts more than that. A node takes a moment to make a pod smaller, and may refuse to. */
export function holdsRoom(pod: Pod): boolean {
  return !isOver(pod) && exceedsLittle(containerStatus(pod, MAIN)?.resources?.requests);
}

/** The change that makes the pod's step ask for next to nothing. If the pod was made again, it does not fit. */
export function releasePatch(pod: Pod): object {
  const { requests = {} } = pod.spec?.containers.find(({ name }) => name === MAIN)?.resources ?? {};
  const smaller = Object.entries(RELEASED).filter(([name, little]) => exceeds(requests[name], little));
  return {
    metadata: { uid: pod.metadata?.uid },
    spec: { containers: [{ name: MAIN, resources: { requests: Object.fromEntries(smaller) } }] },
  };
}

/** What a pod asks for while its process runs, as an annotation. Undefined if that is next to nothing. */
export function roomAnnotation(requests: Requests = {}): string | undefined {
  const { cpu, memory } = requests;
  return exceedsLittle(requests) ? JSON.stringify({ cpu, memory }) : undefined;
}

/** The change that makes a released pod ask for what it asked before. Undefined if it was not released. */
export function restorePatch(pod: Pod): object | undefined {
  const room = pod.metadata?.annotations?.[KEY.room];
  if (room === undefined || asksForRoom(pod) || isOver(pod)) return undefined;
  return {
    metadata: { uid: pod.metadata?.uid },
    spec: { containers: [{ name: MAIN, resources: { requests: JSON.parse(room) as object } }] },
  };
}

/** Whether the node says that it has no room for the change now. */
export function isDeferred({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'PodResizePending' && is === 'True') ?? false;
}

/** A pod that has ended counts for nothing, neither on its node nor in a quota. */
function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
}

function exceedsLittle(requests: Requests = {}): boolean {
  return Object.entries(LITTLE).some(([name, little]) => exceeds(requests[name], little));
}

function exceeds(asked: string | undefined, limit: string): boolean {
  return asked !== undefined && (parseQuantity(asked) ?? 0) > (parseQuantity(limit) ?? 0);
}
