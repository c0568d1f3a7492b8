import type { Json, JsonObject, Version } from '@seaplane/config/values';
import type { UnixSeconds } from './unix-seconds.ts';

/** A worker (docs/concourse/fly-api.md, section 3.7). */
export interface WorkerAnswer {
  /** The worker's problems, in words. Seaplane's workers have no address, and `fly workers -d` shows this field. */
  readonly addr: string;
  /** In words, how web reaches the worker's sandboxes. Empty if there is one way, or none is known yet. */
  readonly baggageclaim_url: string;
  readonly active_containers: number;
  readonly active_volumes: number;
  readonly active_tasks: number;
  readonly resource_types: readonly Json[];
  readonly platform: string;
  readonly tags: readonly string[];
  /** Empty for a worker of all teams. */
  readonly team: string;
  readonly name: string;
  readonly version: string;
  readonly start_time: UnixSeconds;
  readonly ephemeral: boolean;
  readonly state: 'running' | 'stalled' | 'landing' | 'landed' | 'retiring';
}

/** A sandbox, which fly calls a container. */
export interface ContainerAnswer {
  /** The sandbox's handle. */
  readonly id: string;
  readonly worker_name: string;
  readonly state: 'creating' | 'created' | 'failed' | 'destroying';
  readonly type: ContainerType;
  readonly step_name?: string;
  /** `1`, or `1.2` in nested retries. */
  readonly attempt?: string;
  readonly pipeline_id?: number;
  readonly job_id?: number;
  readonly build_id?: number;
  readonly pipeline_name?: string;
  readonly pipeline_instance_vars?: JsonObject;
  readonly job_name?: string;
  readonly build_name?: string;
  readonly user?: string;
  readonly working_directory?: string;
  /** When a container of checks goes if no check uses it: `4m32s`. */
  readonly expires_in?: string;
  /** The step of the build, as events name it. Not Concourse's: two steps of a build may have one name. */
  readonly plan_id?: string;
}

export type ContainerType = 'check' | 'get' | 'put' | 'task' | 'run';

/** An artifact, which fly calls a volume. `resource-type` is not among its types: images of base types are the worker's. */
export interface VolumeAnswer {
  readonly id: string;
  readonly worker_name: string;
  readonly type: 'resource' | 'task-cache' | 'container' | 'artifact';
  readonly container_handle: string;
  readonly path: string;
  readonly parent_handle: '';
  /** Set for the type `resource`, which fly relies on. */
  readonly resource_type: VolumeResourceTypeAnswer | null;
  readonly base_resource_type: null;
  readonly pipeline_id: number;
  readonly pipeline_name: string;
  readonly pipeline_instance_vars: JsonObject | null;
  readonly job_name: string;
  readonly step_name: string;
}

export interface VolumeResourceTypeAnswer {
  readonly resource_type: VolumeResourceTypeAnswer | null;
  readonly base_resource_type: { readonly name: string; readonly version: string } | null;
  readonly version: Version;
}
