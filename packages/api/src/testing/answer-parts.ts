import { expect } from 'vitest';
import type { BuildAnswer, BuildSummaryAnswer } from '../answers/build.ts';
import type { UserAnswer } from '../answers/info.ts';
import type { JobHead } from '../answers/job.ts';
import type { PipelineAnswer } from '../answers/pipeline.ts';
import type { ResourceAnswer, VersionAnswer } from '../answers/resource.ts';
import type { ApiRoutes } from '../answers/routes.ts';
import type { TeamAnswer } from '../answers/team.ts';
import type { ContainerAnswer } from '../answers/worker.ts';
import { type Everything, VARS } from './make-everything.ts';

/** Ids and times. */
export const N: number = expect.any(Number);
export const TEXT: string = expect.any(String);

/** The things that several routes answer with, as the API writes them. */
export function answerParts({ pipelineId, versionId, finished, pending, check }: Everything) {
  const team: TeamAnswer = {
    id: N,
    name: 'team',
    auth: {
      owner: { users: ['local:owner'] },
      member: { users: ['local:member'] },
      'pipeline-operator': { users: ['local:pipeline-operator'] },
      viewer: { users: ['local:viewer'] },
    },
  };
  const owner: UserAnswer = {
    sub: TEXT,
    name: 'owner',
    user_id: 'owner',
    user_name: '',
    email: 'owner',
    is_admin: false,
    is_system: false,
    teams: { team: ['owner'] },
    connector: 'local',
    display_user_id: 'owner',
  };
  const of = { team_name: 'team', pipeline_id: pipelineId, pipeline_name: 'p', pipeline_instance_vars: VARS };
  const pipeline: PipelineAnswer = {
    id: pipelineId,
    name: 'p',
    paused: true,
    public: false,
    archived: false,
    team_name: 'team',
    instance_vars: VARS,
    paused_by: 'admin',
    paused_at: N,
    groups: [{ name: 'g', jobs: ['j', 'next'] }],
    last_updated: N,
  };
  const build: BuildAnswer = {
    ...of,
    id: finished,
    name: '1',
    status: 'succeeded',
    api_url: `/api/v1/builds/${finished}`,
    job_name: 'j',
    start_time: N,
    end_time: N,
    created_by: 'somebody',
  };
  const waiting: BuildAnswer = {
    ...of,
    id: pending,
    name: '1',
    status: 'pending',
    api_url: `/api/v1/builds/${pending}`,
    job_name: 'next',
    created_by: 'somebody',
  };
  const checked: BuildAnswer = {
    ...of,
    id: check,
    name: 'check',
    status: 'succeeded',
    api_url: `/api/v1/builds/${check}`,
    resource_name: 'r',
    start_time: N,
    end_time: N,
  };
  const started = { ...of, id: N, name: 'check', status: 'started', api_url: TEXT, start_time: N } as const;
  const summary: BuildSummaryAnswer = {
    ...of,
    id: finished,
    name: '1',
    status: 'succeeded',
    start_time: N,
    end_time: N,
    job_name: 'j',
  };
  const job: JobHead = {
    ...of,
    id: N,
    name: 'j',
    paused: true,
    paused_by: 'admin',
    paused_at: N,
    has_new_inputs: true,
    groups: ['g'],
    outputs: [{ name: 'out', resource: 'r' }],
  };
  const jobs: ApiRoutes['GET /api/v1/jobs']['answer'] = [
    {
      ...job,
      finished_build: summary,
      transition_build: summary,
      inputs: [{ name: 'r', resource: 'r', trigger: true }],
    },
    {
      ...of,
      id: N,
      name: 'next',
      groups: ['g'],
      next_build: { ...of, id: pending, name: '1', status: 'pending', job_name: 'next' },
      inputs: [{ name: 'in', resource: 'r', passed: ['j'] }],
    },
  ];
  const resource: ResourceAnswer = {
    ...of,
    name: 'r',
    type: 't',
    last_checked: N,
    icon: 'git',
    pinned_version: { ref: 'a' },
    pin_comment: 'why',
    build: { ...of, id: check, name: 'check', status: 'succeeded', start_time: N, end_time: N },
  };
  const version: VersionAnswer = {
    id: versionId,
    version: { ref: 'a' },
    enabled: true,
    metadata: [{ name: 'by', value: 'somebody' }],
  };
  const container: ContainerAnswer = {
    id: 'sandbox',
    worker_name: 'worker',
    state: 'created',
    type: 'task',
    step_name: 'step',
    attempt: '1.2',
    pipeline_id: pipelineId,
    job_id: N,
    build_id: finished,
    pipeline_name: 'p',
    pipeline_instance_vars: VARS,
    job_name: 'j',
    build_name: '1',
    user: 'root',
    working_directory: '/tmp/build/x',
    plan_id: TEXT,
  };
  const oneOff = { id: N, team_name: 'team', name: TEXT, status: 'started', api_url: TEXT, start_time: N } as const;
  const shared = { pipeline_name: 'p', team_name: 'team' };
  return {
    team,
    owner,
    of,
    pipeline,
    build,
    waiting,
    checked,
    started,
    job,
    jobs,
    resource,
    version,
    container,
    oneOff,
    shared,
  };
}
