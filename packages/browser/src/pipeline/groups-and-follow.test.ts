import type { BuildSummaryAnswer, JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { jobsReached } from './follow.ts';
import { chosenGroups, groupNames, groupStatus, resourcesOf, toggleGroup } from './group-status.ts';

const of = { team_name: 't', pipeline_id: 1, pipeline_name: 'p' };

function job(name: string, status: BuildSummaryAnswer['status'], groups: readonly string[]): JobSummaryAnswer {
  return { ...of, id: 1, name, groups, finished_build: { ...of, id: 1, name: '1', status } };
}

test('[UI-GROUP1] the groups of the address are shown, else the first; unknown names count as none', () => {
  const pipeline = { groups: [{ name: 'a' }, { jobs: [] }, { name: 'b' }] } as unknown as PipelineAnswer;
  expect(groupNames(pipeline)).toEqual(['a', 'b']);
  expect(groupNames({ groups: 'odd' } as unknown as PipelineAnswer)).toEqual([]);
  expect(chosenGroups(['a', 'b'], ['b', 'gone'])).toEqual(['b']);
  expect(chosenGroups(['a', 'b'], ['gone'])).toEqual(['a']);
  expect(chosenGroups([], ['a'])).toEqual([]);
});

test('[UI-GROUP2] shift adds a group or takes it away, but never the last', () => {
  expect(toggleGroup(['a'], 'b')).toEqual(['a', 'b']);
  expect(toggleGroup(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggleGroup(['a'], 'a')).toEqual(['a']);
});

test('[UI-GROUP4] a group has the resources that its jobs get or put', () => {
  const resources = ['repo', 'image', 'unused'].map((name) => ({ name }));
  const jobs = [
    { ...job('x', 'succeeded', ['a']), inputs: [{ name: 'source', resource: 'repo' }] },
    { ...job('y', 'succeeded', ['a']), outputs: [{ name: 'image', resource: 'image' }] },
  ];
  expect(resourcesOf(resources, jobs, ['a']).map(({ name }) => name)).toEqual(['repo', 'image']);
  expect(resourcesOf(resources, jobs.slice(1), ['a']).map(({ name }) => name)).toEqual(['image']);
  expect(resourcesOf(resources, jobs, [])).toEqual(resources);
});

test('[UI-GROUP3] a group is marked if a job in it failed or errored', () => {
  const jobs = [job('x', 'errored', ['a', 'b']), job('y', 'failed', ['b']), job('z', 'succeeded', ['c'])];
  expect(['a', 'b', 'c'].map((group) => groupStatus(jobs, group))).toEqual(['errored', 'failed', undefined]);
  expect(groupStatus([{ ...job('x', 'failed', ['a']), paused: true }], 'a')).toBeUndefined();
});

test('[UI-FOLLOW1] a followed version has reached the jobs that have a build with it, by their newest such build', () => {
  const reached = jobsReached({
    jobs: [{ id: 1, name: 'unit', build_ids: [5, 7] }],
    builds: [
      { id: 5, name: '1', job_id: 1, status: 'failed' },
      { id: 7, name: '1.1', job_id: 1, status: 'succeeded' },
    ],
    resources: [],
    resource_versions: [],
  });
  expect([...reached]).toEqual([['unit', { build: '1.1', status: 'succeeded' }]]);
});
