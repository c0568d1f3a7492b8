import type { PublicPlan } from '@seaplane/config/public-plan';
import type { Json, MetadataField, Version } from '@seaplane/config/values';

/** The step of an event; for output also the stream. */
export interface Origin {
  readonly id: string;
  readonly source?: 'stdout' | 'stderr';
}

export type BuildStatus = 'pending' | 'started' | FinalStatus;
export type FinalStatus = 'succeeded' | 'failed' | 'errored' | 'aborted';

/** One combination of an across step's values, with the plan that runs for it. */
export interface ShownSubstep {
  readonly step: PublicPlan;
  readonly values: readonly Json[];
}

/** The resolved configuration of a task, as its events show it. */
export interface ShownTaskConfig {
  readonly platform: string;
  readonly image: string;
  readonly run: { readonly path: string; readonly args: readonly string[] | null; readonly dir: string };
  readonly inputs: readonly { readonly name: string; readonly path: string }[] | null;
}

/**
 * Every event a build may emit, with the version its data has on the wire (docs/concourse/fly-api.md, section 5). fly
 * stops at a type or major version it does not know, so this list is Concourse's: add to it only what theirs has.
 */
export interface EventData {
  status: { readonly status: BuildStatus; readonly time: number };
  log: { readonly time: number; readonly origin: Origin; readonly payload: string };
  error: { readonly message: string; readonly origin: Origin; readonly time: number };
  initialize: AtStep;
  start: AtStep;
  finish: AtStep & { readonly succeeded: boolean };
  'initialize-check': AtStep & { readonly name: string };
  'initialize-get': AtStep;
  'start-get': AtStep;
  'finish-get': AtStep & FinishedResource;
  'initialize-put': AtStep;
  'start-put': AtStep;
  'finish-put': AtStep & FinishedResource;
  'initialize-task': AtStep & { readonly config: ShownTaskConfig };
  'start-task': AtStep & { readonly config: ShownTaskConfig };
  'finish-task': AtStep & { readonly exit_status: number };
  'waiting-for-worker': AtStep;
  'selected-worker': AtStep & { readonly selected_worker: string };
  'streaming-volume': AtStep & {
    readonly volume: string;
    readonly source_worker: string;
    readonly dest_worker: string;
  };
  'waiting-for-streamed-volume': AtStep & { readonly volume: string; readonly dest_worker: string };
  'image-check': AtStep & { readonly plan: PublicPlan };
  'image-get': AtStep & { readonly plan: PublicPlan };
  'across-substeps': AtStep & { readonly substeps: readonly ShownSubstep[] };
  'set-pipeline-changed': { readonly origin: Origin; readonly changed: boolean };
}

interface AtStep {
  readonly origin: Origin;
  readonly time: number;
}

interface FinishedResource {
  readonly exit_status: number;
  readonly version: Version | null;
  /** Left out if there is none, as in Concourse. */
  readonly metadata?: readonly MetadataField[];
}

export type EventType = keyof EventData;
export type BuildEvent = { [T in EventType]: { readonly event: T; readonly data: EventData[T] } }[EventType];

export const EVENT_VERSIONS: Readonly<Record<EventType, string>> = {
  status: '1.0',
  log: '5.1',
  error: '4.1',
  initialize: '1.0',
  start: '1.0',
  finish: '1.0',
  'initialize-check': '1.0',
  'initialize-get': '2.0',
  'start-get': '1.0',
  'finish-get': '5.1',
  'initialize-put': '2.0',
  'start-put': '1.0',
  'finish-put': '5.1',
  'initialize-task': '4.0',
  'start-task': '5.0',
  'finish-task': '4.0',
  'waiting-for-worker': '1.0',
  'selected-worker': '1.0',
  'streaming-volume': '1.0',
  'waiting-for-streamed-volume': '1.0',
  'image-check': '1.1',
  'image-get': '1.1',
  'across-substeps': '1.0',
  'set-pipeline-changed': '1.0',
};
