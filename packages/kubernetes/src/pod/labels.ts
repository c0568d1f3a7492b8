import { createHash } from 'node:crypto';
import type { SandboxLabels } from '@seaplane/orchestrator';
import type { KubeObject } from '../api/wire.ts';

const PREFIX = 'seaplane.dev/';

/** The label and annotation keys of everything we make in a namespace. */
export const KEY = {
  installation: `${PREFIX}installation`,
  worker: `${PREFIX}worker`,
  component: `${PREFIX}component`,
  handle: `${PREFIX}handle`,
  hermetic: `${PREFIX}hermetic`,
  team: `${PREFIX}team`,
  pipeline: `${PREFIX}pipeline`,
  job: `${PREFIX}job`,
  build: `${PREFIX}build`,
  buildId: `${PREFIX}build-id`,
  step: `${PREFIX}step`,
  type: `${PREFIX}type`,
  attempt: `${PREFIX}attempt`,
  /** What the step's container asks for while its process runs. */
  room: `${PREFIX}room`,
  /** Of the store: the program that it runs, and the key that it trusts. */
  revision: `${PREFIX}revision`,
} as const;

/** The purpose of a pod of ours: a step's sandbox, the target's store, or a probe of the health check. */
export type PodPurpose = 'step' | 'store' | 'probe';

const MANAGED_BY = 'app.kubernetes.io/managed-by';
/** Names the container whose log `kubectl logs POD` shows. */
export const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Keys that a target's configuration may not set. */
export function isOurKey(key: string): boolean {
  return key.startsWith(PREFIX) || key === MANAGED_BY || key === DEFAULT_CONTAINER;
}

/** A worker of one installation. Two installations may name a worker alike, and share a namespace by mistake. */
export interface Owner {
  readonly name: string;
  readonly installation: string;
}

/** Labels of everything that belongs to the worker. */
export function ownerLabels({ name, installation }: Owner): Record<string, string> {
  return { [KEY.installation]: labelValue(installation), [KEY.worker]: labelValue(name) };
}

/** Selects everything that belongs to the worker. */
export function ownSelector(owner: Owner, component?: PodPurpose): string {
  const labels = { ...ownerLabels(owner), ...(component ? { [KEY.component]: component } : {}) };
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Selects what other installations have made for a worker of the same name, also what is not labelled with one. */
export function foreignSelector({ name, installation }: Owner): string {
  return `${KEY.worker}=${labelValue(name)},${KEY.installation}!=${labelValue(installation)}`;
}

/** Whether the worker made the object. */
export function isOwn(owner: Owner, { metadata }: KubeObject): boolean {
  return Object.entries(ownerLabels(owner)).every(([key, value]) => metadata?.labels?.[key] === value);
}

export function componentLabels(owner: Owner, component: PodPurpose): Record<string, string> {
  return { [MANAGED_BY]: 'seaplane', ...ownerLabels(owner), [KEY.component]: component };
}

/** Labels by which a step's pod can be selected, and annotations with the same values in full. */
export function sandboxMetadata(
  handle: string,
  labels: SandboxLabels,
): { readonly labels: Record<string, string>; readonly annotations: Record<string, string> } {
  const values = {
    [KEY.handle]: handle,
    [KEY.team]: labels.team,
    [KEY.pipeline]: labels.pipeline,
    [KEY.job]: labels.job,
    [KEY.build]: labels.build,
    [KEY.buildId]: labels.buildId?.toString(),
    [KEY.step]: labels.step,
    [KEY.type]: labels.type,
    [KEY.attempt]: labels.attempt,
  };
  const full = Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return {
    labels: Object.fromEntries(full.map(([key, value]) => [key, labelValue(value)])),
    annotations: Object.fromEntries(full),
  };
}

/** The text itself if it can be a label's value; otherwise a similar value that no other text becomes. */
export function labelValue(text: string): string {
  if (/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(text)) return text;
  const readable = text.replace(/[^-A-Za-z0-9_.]+/g, '-').replace(/^[-_.]+/, '');
  return `${readable.slice(0, 46)}${readable ? '-' : ''}${digest(text)}`;
}

/** The handle itself if it can be a pod's name; otherwise a similar name that no other handle becomes. */
export function podName(handle: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(handle)) return handle;
  const readable = handle
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '');
  return `${readable.slice(0, 46)}${readable ? '-' : ''}${digest(handle)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
