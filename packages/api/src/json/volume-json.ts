import type { Volume, VolumeResourceType } from '@seaplane/db';
import type { VolumeAnswer, VolumeResourceTypeAnswer } from '../answers/worker.ts';

/** fly calls an artifact a volume. All fields are always there, as in Concourse. */
export function volumeJson(volume: Volume): VolumeAnswer {
  const task = volume.type === 'task-cache' ? volume : undefined;
  const container = volume.type === 'container' ? volume : undefined;
  return {
    id: volume.id,
    worker_name: volume.workerName,
    type: volume.type,
    container_handle: container?.containerHandle ?? '',
    path: container?.path ?? '',
    parent_handle: '',
    resource_type: volume.type === 'resource' ? resourceTypeJson(volume) : null,
    base_resource_type: null,
    pipeline_id: task?.pipelineId ?? 0,
    pipeline_name: task?.pipelineName ?? '',
    pipeline_instance_vars: task?.instanceVars ?? null,
    job_name: task?.jobName ?? '',
    step_name: task?.stepName ?? '',
  };
}

function resourceTypeJson({
  version,
  of,
}: Exclude<VolumeResourceType, undefined | { base: string }>): VolumeResourceTypeAnswer {
  return {
    version,
    resource_type: of && !('base' in of) ? resourceTypeJson(of) : null,
    // Base types have no versions of their own here; their images may have.
    base_resource_type: of && 'base' in of ? { name: of.base, version: '' } : null,
  };
}
