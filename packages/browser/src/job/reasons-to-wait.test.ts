import type { BuildPreparationAnswer, BuildSummaryAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { reasonsToWait, type WaitingFacts } from './reasons-to-wait.ts';

const build = (status: BuildSummaryAnswer['status']): BuildSummaryAnswer => ({
  id: 1,
  name: '1',
  status,
  team_name: 't',
  pipeline_id: 1,
  pipeline_name: 'p',
});
const input = { name: 'in', resource: 'code', trigger: true };
const QUIET: WaitingFacts = {
  pipeline: { archived: false, paused: false },
  job: { next_build: null, inputs: [input] },
  jobs: [],
  resources: [{ name: 'code', last_checked: 1, build: build('succeeded') }],
};
const texts = (facts: WaitingFacts) => reasonsToWait(facts).map(({ text }) => text);

test('[UI-WHY1] an archived or paused pipeline and a paused job are named, with who paused them', () => {
  expect(texts({ ...QUIET, pipeline: { archived: true, paused: true } })).toEqual([
    'The pipeline is archived: its jobs do not run.',
  ]);
  const paused = { ...QUIET, pipeline: { archived: false, paused: true, paused_by: 'ann' } };
  expect(texts({ ...paused, job: { ...QUIET.job, paused: true } })).toEqual([
    'The pipeline is paused by ann. Its jobs run after somebody unpauses it.',
    'The job is paused. It runs after somebody unpauses it.',
  ]);
});

test('[UI-WHY2] a job that nothing triggers says so, and that new versions wait', () => {
  expect(texts({ ...QUIET, job: { next_build: null } })).toEqual([
    'The job has no inputs: it runs when somebody triggers it.',
  ]);
  const job = { next_build: null, has_new_inputs: true, inputs: [{ ...input, trigger: false }] };
  expect(texts({ ...QUIET, job })).toEqual([
    'None of its inputs triggers it: it runs when somebody triggers it. New versions are there.',
  ]);
  expect(texts({ ...QUIET, job: { ...job, disable_manual_trigger: true } })).toEqual([
    'None of its inputs triggers it, and the configuration does not allow to trigger it by hand: it never runs. New versions are there.',
  ]);
});

test('[UI-WHY3] a check that fails, a pin, and a job before it that did not pass are causes', () => {
  expect(texts(QUIET)).toEqual([]);
  const failing = { name: 'code', last_checked: 1, build: build('errored') };
  expect(reasonsToWait({ ...QUIET, resources: [failing] })).toEqual([
    { text: 'The last check of code errored.', resource: 'code' },
  ]);
  expect(texts({ ...QUIET, resources: [{ name: 'code' }] })).toEqual(['code was not checked yet.']);
  expect(texts({ ...QUIET, resources: [{ name: 'code', last_checked: 1, pinned_version: { ref: 'a' } }] })).toEqual([
    'code is pinned, so no new version of it comes.',
  ]);
  const passed = { ...QUIET, job: { next_build: null, inputs: [{ ...input, passed: ['unit'] }] } };
  expect(reasonsToWait({ ...passed, jobs: [{ name: 'unit', finished_build: build('failed') }] })).toEqual([
    { text: 'The last build of unit, which code must pass first, failed.', job: 'unit' },
  ]);
  expect(texts({ ...passed, jobs: [{ name: 'unit' }] })).toEqual([
    'unit, which code must pass first, has not run yet.',
  ]);
  expect(texts({ ...passed, jobs: [{ name: 'unit', finished_build: build('succeeded') }] })).toEqual([]);
});

test('[UI-WHY4] a pending build names the input that it waits for, and why; a job that runs waits for nothing', () => {
  const preparation: BuildPreparationAnswer = {
    build_id: 1,
    paused_pipeline: 'not_blocking',
    paused_job: 'not_blocking',
    max_running_builds: 'blocking',
    inputs: { in: 'blocking', other: 'not_blocking' },
    inputs_satisfied: 'blocking',
    missing_input_reasons: { in: 'latest version of resource not found' },
  };
  const resources = [{ name: 'code', last_checked: 1, build: build('failed') }];
  expect(texts({ ...QUIET, resources, preparation })).toEqual([
    'As many builds run as the job, or its serial group, allows. The build starts when one of them ends.',
    'Input in has no version that the build can get: latest version of resource not found.',
    'The last check of code failed.',
  ]);
  const running = { ...QUIET.job, next_build: { ...build('started'), api_url: '' } };
  expect(texts({ ...QUIET, job: running, resources })).toEqual([]);
  const serial = { ...preparation, inputs: {}, missing_input_reasons: {} };
  expect(texts({ ...QUIET, job: running, preparation: serial })).toEqual([
    'As many builds run as the job, or its serial group, allows. The build starts when one of them ends.',
  ]);
});
