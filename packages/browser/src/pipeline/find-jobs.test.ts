import type { BuildSummaryAnswer, JobSummaryAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { findJobs } from './find-jobs.ts';

function build(status: BuildSummaryAnswer['status']): BuildSummaryAnswer {
  return { id: 1, name: '1', status, team_name: 'main', pipeline_id: 1, pipeline_name: 'p' };
}

function job(name: string, more: Partial<JobSummaryAnswer> = {}): JobSummaryAnswer {
  return { id: 1, name, team_name: 'main', pipeline_id: 1, pipeline_name: 'p', ...more };
}

const JOBS = [
  job('unit', { finished_build: build('failed'), next_build: build('started'), groups: ['test'] }),
  job('unit-slow', { finished_build: build('succeeded'), next_build: build('pending'), groups: ['test'] }),
  job('ship', { finished_build: build('errored'), paused: true }),
  job('new'),
];

test.for([
  ['un', ['unit', 'unit-slow']],
  ['uto', ['unit-slow']],
  ['"unit"', ['unit']],
  ['"unit', ['unit', 'unit-slow']],
  ['-unit', ['ship', 'new']],
  ['status:failed', ['unit']],
  ['status:running', ['unit']],
  ['status:pending', ['unit-slow', 'new']],
  ['status:paused', ['ship']],
  ['status:errored -status:paused', []],
  ['group:test -status:running', ['unit-slow']],
  ['nothing', []],
] as const)('[UI-SEARCH4] `%s`', ([search, found]) => {
  expect([...(findJobs(search, JOBS) ?? [])]).toEqual(found);
});

test.for(['', '  '])('[UI-SEARCH4] a search without a term is none: `%s`', (search) => {
  expect(findJobs(search, JOBS)).toBeUndefined();
});
