import { JobNames, jobInputs, readPipeline } from '@seaplane/config';
import {
  clearTaskCaches,
  listJobs,
  listPipelines,
  pauseJob,
  readNextInputs,
  readPipelineConfig,
  requestSchedule,
  unpauseJob,
} from '@seaplane/db';
import type { NextInputAnswer } from '../../answers/job.ts';
import { ApiError } from '../../api-error.ts';
import { job } from '../../auth/finders.ts';
import { notArchived, open, pipeline, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf, teamsFor } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API, JOB, PIPELINE } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { jobJson, jobSummaryJson } from '../../json/job-json.ts';
import { readJobParts } from '../../json/read-jobs.ts';
import { type OptionalFields, withoutEmpty } from '../../json/without-empty.ts';

/** Jobs. Their builds are in builds/job-builds.ts. */
export function jobRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/jobs`, open(), async (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListAllJobs');
    const pipelines = await listPipelines(pool, teamIds ? { teamIds, orPublic: true } : {});
    const jobs = await listJobs(
      pool,
      pipelines.map(({ id }) => id),
    );
    return (await readJobParts(pool, jobs, pipelines)).map(jobSummaryJson);
  });

  app.get(`${PIPELINE}/jobs`, pipeline(pool, 'ListJobs'), async (c) => {
    const jobs = await listJobs(pool, [c.var.pipeline.id]);
    return (await readJobParts(pool, jobs, [c.var.pipeline])).map(jobSummaryJson);
  });

  app.get(JOB, pipeline(pool, 'GetJob'), job(pool), async (c) => {
    const comment = c.var.job.public || may(c.var.requester, 'GetJob', c.var.pipeline.teamId);
    const [parts] = await readJobParts(pool, [c.var.job], [c.var.pipeline]);
    if (!parts) throw new Error('the parts of a job that was found are missing');
    return jobJson(parts, { comment });
  });

  app.put(`${JOB}/pause`, teamPipeline(pool, 'PauseJob'), job(pool), async (c) => {
    await pauseJob(pool, c.var.job.id, nameOf(c.var.requester) ?? '');
  });

  app.put(`${JOB}/unpause`, teamPipeline(pool, 'UnpauseJob'), job(pool), async (c) => {
    await unpauseJob(pool, c.var.job.id);
  });

  app.put(`${JOB}/schedule`, teamPipeline(pool, 'ScheduleJob'), notArchived(), job(pool), async (c) => {
    await requestSchedule(pool, [c.var.job.id]);
  });

  // `fly execute -j` runs with these. They hold sources, so they are for the team alone.
  app.get(`${JOB}/inputs`, teamPipeline(pool, 'ListJobInputs'), job(pool), async (c) => {
    const inputs = await readNextInputs(pool, c.var.job.id);
    if (!inputs) throw new ApiError('not-found', `The inputs of job '${c.var.job.name}' are not determined.`);
    const saved = await readPipelineConfig(pool, c.var.pipeline.id);
    const read = saved && readPipeline(saved.config);
    const own = read?.ok ? read.config.jobs.find(({ name }) => name === c.var.job.name) : undefined;
    if (!read?.ok || !own) throw new ApiError('not-found', `The configuration of job '${c.var.job.name}' is gone.`);
    const steps = jobInputs(new JobNames(read.config), own);
    return inputs.flatMap(({ name, resource, version }): NextInputAnswer[] => {
      const step = steps.find((each) => each.name === name);
      const config = read.config.resources.find((each) => each.name === resource);
      if (!step || !config) return [];
      const { type, source } = config;
      const { params, tags } = step;
      const rest = withoutEmpty<OptionalFields<NextInputAnswer>>({ params, tags });
      return [{ name, resource, type, source, version, ...rest }];
    });
  });

  app.delete(`${JOB}/tasks/:step/cache`, teamPipeline(pool, 'ClearTaskCache'), job(pool), async (c) => {
    const path = c.req.query('cache_path');
    const removed = await clearTaskCaches(pool, c.var.job.id, c.req.param('step'), path || undefined);
    return { caches_removed: removed };
  });
  return app;
}
