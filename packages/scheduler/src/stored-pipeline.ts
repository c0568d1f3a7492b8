import { type PipelineConfig, readSavedPipeline } from '@seaplane/config';
import { type Queryable, readPipelineConfig } from '@seaplane/db';

/** The configuration of a pipeline as it is stored. Throws when it is archived, or not one that this version can read. */
export async function storedPipeline(db: Queryable, pipelineId: number): Promise<PipelineConfig> {
  const stored = await readPipelineConfig(db, pipelineId);
  if (!stored) throw new Error(`pipeline ${pipelineId} has no configuration: it is archived or was destroyed`);
  return readSavedPipeline(stored.config);
}
