import { findBuilds, type Job, listJobInputs, listJobOutputs, type Pipeline, type Queryable } from '@seaplane/db';
import type { JobParts } from './job-json.ts';

/** Reads the builds, inputs and outputs of jobs, with the same few queries for any number of jobs. */
export async function readJobParts(
  db: Queryable,
  jobs: readonly Job[],
  pipelines: readonly Pipeline[],
): Promise<JobParts[]> {
  const ids = jobs.map(({ id }) => id);
  const buildIds = jobs.flatMap(({ nextBuildId, finishedBuildId, transitionBuildId }) => [
    nextBuildId,
    finishedBuildId,
    transitionBuildId,
  ]);
  const [inputs, outputs, builds] = await Promise.all([
    listJobInputs(db, ids),
    listJobOutputs(db, ids),
    findBuilds(
      db,
      buildIds.filter((id) => id !== undefined),
    ),
  ]);
  const buildById = new Map(builds.map((build) => [build.id, build]));
  const pipelineById = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  const inputsByJob = Map.groupBy(inputs, ({ jobId }) => jobId);
  const outputsByJob = Map.groupBy(outputs, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const pipeline = pipelineById.get(job.pipelineId);
    if (!pipeline) return [];
    return {
      job,
      pipeline,
      inputs: inputsByJob.get(job.id) ?? [],
      outputs: outputsByJob.get(job.id) ?? [],
      next: buildById.get(job.nextBuildId ?? 0),
      finished: buildById.get(job.finishedBuildId ?? 0),
      transition: buildById.get(job.transitionBuildId ?? 0),
    };
  });
}
