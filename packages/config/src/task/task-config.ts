import type { ContainerLimits, JsonObject, Version } from '../values.ts';

/** The configuration of a task, from a pipeline or a task file. */
export interface TaskConfig {
  readonly platform: string;
  readonly rootfs_uri?: string;
  readonly image_resource?: ImageResource;
  readonly container_limits?: ContainerLimits;
  readonly params?: Readonly<Record<string, string>>;
  readonly run: TaskRun;
  readonly inputs?: readonly TaskInput[];
  readonly outputs?: readonly TaskOutput[];
  readonly caches?: readonly TaskCache[];
}

export interface ImageResource {
  readonly name?: string;
  readonly type: string;
  /** Null when it was not written. */
  readonly source: JsonObject | null;
  readonly version?: Version;
  readonly params?: JsonObject;
  readonly tags?: readonly string[];
}

export interface TaskRun {
  readonly path: string;
  readonly args?: readonly string[];
  readonly dir?: string;
  readonly user?: string;
}

export interface TaskInput {
  readonly name: string;
  readonly path?: string;
  readonly optional?: boolean;
}

export interface TaskOutput {
  readonly name: string;
  readonly path?: string;
}

export interface TaskCache {
  readonly path: string;
  readonly ttl?: string;
}
