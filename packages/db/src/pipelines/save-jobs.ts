import type { Queryable } from '../queryable.ts';
import type { JobToSave } from './pipeline-to-save.ts';
import { rename } from './rename.ts';
import { deactivateOthers } from './save-resources.ts';

/** Saves the pipeline's jobs with their slots, inputs and outputs. The resources must be saved before. */
export async function saveJobs(tx: Queryable, pipelineId: number, jobs: readonly JobToSave[]): Promise<void> {
  await tx.query('SELECT FROM job WHERE pipeline_id = $1 ORDER BY id FOR NO KEY UPDATE', [pipelineId]);
  await rename(tx, 'job', pipelineId, jobs);
  await tx.query(
    `INSERT INTO job (pipeline_id, name, log_retention, groups, public, interruptible, disable_manual_trigger, disable_reruns,
       max_in_flight, ordering)
     SELECT $1, j.name, j.log_retention::json, ARRAY(SELECT json_array_elements_text(j.groups::json)), j.public, j.interruptible,
       j.disable_manual_trigger, j.disable_reruns, j.max_in_flight, j.ordering
     FROM unnest($2::text[], $3::text[], $4::text[], $5::bool[], $6::bool[], $7::bool[], $8::bool[], $9::int[])
       WITH ORDINALITY AS j (name, log_retention, groups, public, interruptible, disable_manual_trigger, disable_reruns,
         max_in_flight, ordering)
     ON CONFLICT (pipeline_id, name) DO UPDATE SET
       active = true, log_retention = excluded.log_retention, groups = excluded.groups, public = excluded.public,
       interruptible = excluded.interruptible, disable_manual_trigger = excluded.disable_manual_trigger,
       disable_reruns = excluded.disable_reruns, max_in_flight = excluded.max_in_flight, ordering = excluded.ordering`,
    [
      pipelineId,
      jobs.map(({ name }) => name),
      jobs.map(({ logRetention }) => (logRetention ? JSON.stringify(logRetention) : null)),
      jobs.map(({ groups }) => JSON.stringify(groups)),
      jobs.map((job) => job.public),
      jobs.map(({ interruptible }) => interruptible),
      jobs.map(({ disableManualTrigger }) => disableManualTrigger),
      jobs.map(({ disableReruns }) => disableReruns),
      jobs.map(({ maxInFlight }) => maxInFlight),
    ],
  );
  await deactivateOthers(tx, 'job', pipelineId, jobs);
  await saveSerialGroups(tx, pipelineId, jobs);
  await saveInputs(tx, pipelineId, jobs);
  await saveOutputs(tx, pipelineId, jobs);
  await forgetTaskCaches(tx, pipelineId, jobs);
}

async function saveSerialGroups(tx: Queryable, pipelineId: number, jobs: readonly JobToSave[]): Promise<void> {
  const groups = jobs.flatMap(({ name, serialGroups }) => serialGroups.map((group) => ({ name, group })));
  await tx.query('DELETE FROM job_serial_group USING job j WHERE job_id = j.id AND j.pipeline_id = $1', [pipelineId]);
  await tx.query(
    `INSERT INTO job_serial_group (job_id, serial_group)
     SELECT j.id, g.serial_group FROM unnest($2::text[], $3::text[]) AS g (job, serial_group)
     JOIN job j ON j.pipeline_id = $1 AND j.name = g.job
     ON CONFLICT DO NOTHING`,
    [pipelineId, groups.map(({ name }) => name), groups.map(({ group }) => group)],
  );
}

async function saveInputs(tx: Queryable, pipelineId: number, jobs: readonly JobToSave[]): Promise<void> {
  const inputs = jobs.flatMap((job) => job.inputs.map((input, index) => ({ job: job.name, index, ...input })));
  await tx.query('DELETE FROM job_input USING job j WHERE job_id = j.id AND j.pipeline_id = $1', [pipelineId]);
  await tx.query(
    `INSERT INTO job_input (job_id, name, resource_id, trigger, version, ordering)
     SELECT j.id, i.name, r.id, i.trigger, i.version::jsonb, i.ordering
     FROM unnest($2::text[], $3::text[], $4::text[], $5::bool[], $6::text[], $7::int[])
       AS i (job, name, resource, trigger, version, ordering)
     JOIN job j ON j.pipeline_id = $1 AND j.name = i.job
     JOIN resource r ON r.pipeline_id = $1 AND r.name = i.resource`,
    [
      pipelineId,
      inputs.map(({ job }) => job),
      inputs.map(({ name }) => name),
      inputs.map(({ resource }) => resource),
      inputs.map(({ trigger }) => trigger),
      inputs.map(({ version }) => (version === undefined ? null : JSON.stringify(version))),
      inputs.map(({ index }) => index),
    ],
  );
  const passed = inputs.flatMap(({ job, name, passed: from }) => from.map((passedJob) => ({ job, name, passedJob })));
  await tx.query(
    `INSERT INTO job_input_passed (job_id, input_name, passed_job_id)
     SELECT j.id, i.name, passed.id FROM unnest($2::text[], $3::text[], $4::text[]) AS i (job, name, passed)
     JOIN job j ON j.pipeline_id = $1 AND j.name = i.job
     JOIN job passed ON passed.pipeline_id = $1 AND passed.name = i.passed
     ON CONFLICT DO NOTHING`,
    [
      pipelineId,
      passed.map(({ job }) => job),
      passed.map(({ name }) => name),
      passed.map(({ passedJob }) => passedJob),
    ],
  );
}

async function saveOutputs(tx: Queryable, pipelineId: number, jobs: readonly JobToSave[]): Promise<void> {
  const outputs = jobs.flatMap((job) => job.outputs.map((output) => ({ job: job.name, ...output })));
  await tx.query('DELETE FROM job_output USING job j WHERE job_id = j.id AND j.pipeline_id = $1', [pipelineId]);
  await tx.query(
    `INSERT INTO job_output (job_id, name, resource_id)
     SELECT j.id, o.name, r.id FROM unnest($2::text[], $3::text[], $4::text[]) AS o (job, name, resource)
     JOIN job j ON j.pipeline_id = $1 AND j.name = o.job
     JOIN resource r ON r.pipeline_id = $1 AND r.name = o.resource
     ON CONFLICT DO NOTHING`,
    [
      pipelineId,
      outputs.map(({ job }) => job),
      outputs.map(({ name }) => name),
      outputs.map(({ resource }) => resource),
    ],
  );
}

async function forgetTaskCaches(tx: Queryable, pipelineId: number, jobs: readonly JobToSave[]): Promise<void> {
  const tasks = jobs.flatMap(({ name, tasks: names }) => names.map((task) => ({ name, task })));
  await tx.query(
    `DELETE FROM task_cache c USING job j
     WHERE c.job_id = j.id AND j.pipeline_id = $1 AND NOT EXISTS (
       SELECT FROM unnest($2::text[], $3::text[]) AS t (job, step) WHERE t.job = j.name AND t.step = c.step_name)`,
    [pipelineId, tasks.map(({ name }) => name), tasks.map(({ task }) => task)],
  );
}
