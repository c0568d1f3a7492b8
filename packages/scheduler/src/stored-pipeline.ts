import { type PipelineConfig, readSavedPipeline } from '@seaplane/config';
import { type Queryable, readPipelineConfig } from '@seaplane/db';

/** Reads a pipeline's stored configuration. Throws if the pipeline is archived or this version cannot read it. */
export async function storedPipeline(db: Queryable, pipelineId: number): Promise<PipelineConfig> {
  const stored = await readPipelineConfig(db, pipelineId);
  if (!stored) throw new Error(`pipeline ${pipelineId} has no configuration: it is archived or was destroyed`);
  return readSavedPipeline(stored.config);
}
