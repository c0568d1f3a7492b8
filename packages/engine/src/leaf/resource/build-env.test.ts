import { type JsonObject, parseJson } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import { TEST_BUILD } from '../../testing/memory-seams.ts';
import { putPlan } from '../../testing/plans.ts';
import { testContext } from '../../testing/scripted-step.ts';
import { testBuild } from '../../testing/walk.ts';
import { resourceEnv, taskEnv } from './build-env.ts';

const { ctx } = testContext();

describe('environment', () => {
  test('[ENG-ENV1] describes the build to resource scripts', () => {
    expect(resourceEnv(TEST_BUILD, ctx)).toEqual({
      BUILD_ID: '42',
      BUILD_NAME: '7',
      BUILD_TEAM_ID: '1',
      BUILD_TEAM_NAME: 'main',
      BUILD_JOB_ID: '3',
      BUILD_JOB_NAME: 'job',
      BUILD_PIPELINE_ID: '2',
      BUILD_PIPELINE_NAME: 'pipeline',
      ATC_EXTERNAL_URL: 'https://ci.example.com',
      BUILD_URL: 'https://ci.example.com/teams/main/pipelines/pipeline/jobs/job/builds/7',
      BUILD_URL_SHORT: 'https://ci.example.com/builds/42',
    });
  });

  test('[ENG-ENV1] leaves out what a one-off build does not have', () => {
    const { id, name, teamId, teamName } = TEST_BUILD;
    expect(resourceEnv({ id, name, teamId, teamName, externalUrl: '' }, ctx)).toEqual({
      BUILD_ID: '42',
      BUILD_NAME: '7',
      BUILD_TEAM_ID: '1',
      BUILD_TEAM_NAME: 'main',
    });
  });

  test('[ENG-ENV1] names the instance of the pipeline', () => {
    const pipelineInstanceVars = { env: { name: 'prod' }, branch: 'main' };
    expect(resourceEnv({ ...TEST_BUILD, pipelineInstanceVars }, ctx)).toMatchObject({
      BUILD_PIPELINE_INSTANCE_VARS: '{"branch":"main","env":{"name":"prod"}}',
      BUILD_URL:
        'https://ci.example.com/teams/main/pipelines/pipeline/jobs/job/builds/7?vars.branch=%22main%22&vars.env.name=%22prod%22',
    });
  });

  test('[ENG-ENV1] keeps the digits of a large number that names the instance', () => {
    const pipelineInstanceVars = parseJson('{"n": 12345678901234567890}') as JsonObject;
    expect(resourceEnv({ ...TEST_BUILD, pipelineInstanceVars }, ctx)).toMatchObject({
      BUILD_PIPELINE_INSTANCE_VARS: '{"n":12345678901234567890}',
      BUILD_URL: 'https://ci.example.com/teams/main/pipelines/pipeline/jobs/job/builds/7?vars.n=12345678901234567890',
    });
  });

  test('[ENG-ENV2] gives hooks the status of their step', async () => {
    const plan = {
      id: '0',
      ensure: {
        step: { id: '1', on_failure: { step: putPlan('2', { name: 'fails' }), on_failure: putPlan('3') } },
        ensure: putPlan('4'),
      },
    };
    const { walk, world } = testBuild(plan, { fails: { exit: 1 } });
    await walk().outcome;
    const statuses = [...world.processes.values()].map(
      ({ request }) => (request as { env: Record<string, string> }).env['BUILD_STATUS'],
    );
    expect(statuses).toEqual([undefined, 'failed', undefined]);
  });

  test('[ENG-ENV3] names the creator of the build to puts of resources that expose it', async () => {
    const plan = { id: '0', do: [putPlan('1'), putPlan('2', { expose_build_created_by: true })] };
    const { walk, world } = testBuild(plan, {}, { createdBy: 'ada' });
    await walk().outcome;
    const creators = [...world.processes.values()].map(
      ({ request }) => (request as { env: Record<string, string> }).env['BUILD_CREATED_BY'],
    );
    expect(creators).toEqual([undefined, 'ada']);
  });

  test('[ENG-ENV4] gives tasks only the external URL', () => {
    expect(taskEnv(TEST_BUILD)).toEqual({ ATC_EXTERNAL_URL: 'https://ci.example.com' });
  });
});
