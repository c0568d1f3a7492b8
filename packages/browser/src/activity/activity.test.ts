import type { BuildAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { activityOf, pathOfBuild } from './activity.ts';

function build(id: number, status: BuildAnswer['status'], times: Partial<BuildAnswer> = {}): BuildAnswer {
  return { id, name: String(id), status, team_name: 't', api_url: '', pipeline_name: 'p', job_name: 'j', ...times };
}

test('[UI-ACT1] builds are running, waiting or ended, each in the order that matters', () => {
  const builds = [
    build(6, 'pending'),
    build(5, 'started', { start_time: 50 }),
    build(4, 'failed', { end_time: 40 }),
    build(3, 'succeeded', { end_time: 90 }),
    build(2, 'started', { start_time: 20 }),
    build(1, 'pending'),
  ];
  const { running, waiting, ended } = activityOf(builds, 'all');
  const ids = (list: readonly BuildAnswer[]) => list.map(({ id }) => id);
  expect([ids(running), ids(waiting), ids(ended)]).toEqual([
    [2, 5],
    [1, 6],
    [3, 4],
  ]);
  expect(ids(activityOf(builds, 'failed').ended)).toEqual([4]);
});

test('[UI-ACT2] a build of a job is at its job, any other at its id', () => {
  expect(pathOfBuild(build(7, 'failed', { pipeline_instance_vars: { a: 1 } }))).toBe(
    '/teams/t/pipelines/p/jobs/j/builds/7?vars.a=1',
  );
  const { job_name: _, ...oneOff } = build(8, 'started');
  expect(pathOfBuild(oneOff)).toBe('/builds/8');
});
