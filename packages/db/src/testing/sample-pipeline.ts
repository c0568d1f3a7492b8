import type { JsonObject } from '@seaplane/config';
import type { JobToSave, PipelineToSave, ResourceToSave, TypeToSave } from '../pipelines/pipeline-to-save.ts';
import { type PipelineRef, savePipeline } from '../pipelines/save-pipeline.ts';
import type { Queryable } from '../queryable.ts';
import { ensureMainTeam } from '../teams/teams.ts';

/** A job, and its part of the pipeline's configuration. */
export interface SampleJob extends JobToSave {
  readonly config: JsonObject;
}

/** A job whose plan gets its inputs. */
export function sampleJob(name: string, options: Partial<SampleJob> = {}): SampleJob {
  const plan = (options.inputs ?? []).map(({ name: get, resource }) => ({ get, resource }));
  return {
    name,
    config: { name, plan },
    groups: [],
    public: false,
    interruptible: false,
    disableManualTrigger: false,
    disableReruns: false,
    maxInFlight: 0,
    serialGroups: [],
    inputs: [],
    outputs: [],
    tasks: [],
    ...options,
  };
}

export function sampleResource(name: string, options: Partial<ResourceToSave> = {}): ResourceToSave {
  return { name, type: 'mock', config: { name, type: 'mock', source: { name } }, public: false, ...options };
}

export interface SampleParts {
  readonly jobs?: readonly SampleJob[];
  readonly resources?: readonly ResourceToSave[];
  readonly resourceTypes?: readonly TypeToSave[];
}

export function samplePipeline({ jobs = [], resources = [], resourceTypes = [] }: SampleParts): PipelineToSave {
  const config = { jobs: jobs.map((job) => job.config), resources: resources.map((resource) => resource.config) };
  return { config, jobs, resources, resourceTypes, prototypes: [], shown: {} };
}

export interface SavedSample {
  readonly teamId: number;
  readonly pipelineId: number;
  readonly configVersion: number;
  /** Ids by name, of all that were saved so far. */
  readonly jobs: Readonly<Record<string, number>>;
  readonly resources: Readonly<Record<string, number>>;
}

/** Saves a pipeline of the team `main`, new or on top of what there is. It is unpaused. */
export async function saveSample(db: Queryable, ref: PipelineRef, parts: SampleParts): Promise<SavedSample> {
  const team = await ensureMainTeam(db, {});
  const { rows } = await db.query<{ version: number }>(
    `SELECT config_version AS version FROM pipeline
     WHERE team_id = $1 AND name = $2 AND instance_key = coalesce(json_digest($3::jsonb), '')`,
    [team.id, ref.name, ref.instanceVars ? JSON.stringify(ref.instanceVars) : null],
  );
  const pipeline = samplePipeline(parts);
  const saved = await savePipeline(db, { teamId: team.id, ref, pipeline, fromVersion: rows[0]?.version ?? 0 });
  if (saved.kind !== 'saved') throw new Error(saved.kind);
  await db.query('UPDATE pipeline SET paused = false WHERE id = $1', [saved.pipelineId]);
  const ids = async (table: 'job' | 'resource') => {
    const found = await db.query<{ name: string; id: number }>(`SELECT name, id FROM ${table} WHERE pipeline_id = $1`, [
      saved.pipelineId,
    ]);
    return Object.fromEntries(found.rows.map(({ name, id }) => [name, id]));
  };
  const { pipelineId, configVersion } = saved;
  return { teamId: team.id, pipelineId, configVersion, jobs: await ids('job'), resources: await ids('resource') };
}
