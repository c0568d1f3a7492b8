import type { BuildSummaryAnswer, JobSummaryAnswer, PipelineAnswer, UserAnswer } from '@seaplane/api/answers';
import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { expect, test } from 'vitest';
import { columnsOf, viewPipeline } from './pipeline-status.ts';
import { matches, parseSearch } from './search.ts';
import { cardsOf, teamsOf, viewPipelines } from './teams.ts';
import { varsText, varsTextOfQuery } from './vars-text.ts';

function pipeline(name: string, more: Partial<PipelineAnswer> = {}): PipelineAnswer {
  return { id: 1, name, paused: false, public: false, archived: false, team_name: 'main', ...more };
}

function build(status: BuildSummaryAnswer['status'], end = 100): BuildSummaryAnswer {
  return { id: 1, name: '1', status, team_name: 'main', pipeline_id: 1, pipeline_name: 'p', end_time: end };
}

function job(name: string, more: Partial<JobSummaryAnswer> = {}): JobSummaryAnswer {
  return { id: 1, name, team_name: 'main', pipeline_id: 1, pipeline_name: 'p', ...more };
}

const JOBS = [
  job('a', { finished_build: build('succeeded', 50) }),
  job('b', { finished_build: build('failed', 70), transition_build: build('failed', 60) }),
  job('c', { finished_build: build('errored') }),
];

test.for([
  { is: 'archived', of: pipeline('p', { archived: true, paused: true }), jobs: JOBS },
  { is: 'paused', of: pipeline('p', { paused: true }), jobs: JOBS },
  { is: 'failed', of: pipeline('p'), jobs: JOBS },
  { is: 'errored', of: pipeline('p'), jobs: [JOBS[0], { ...JOBS[1], paused: true }, JOBS[2]] },
  { is: 'succeeded', of: pipeline('p'), jobs: [JOBS[0], job('new')] },
  { is: 'pending', of: pipeline('p'), jobs: [job('new')] },
])('[UI-DASH1] $is', ({ is, of, jobs }) => {
  expect(viewPipeline(of, jobs as JobSummaryAnswer[], []).status).toBe(is);
});

test('[UI-DASH2] a bad status is as old as its first change, a good one as its last', () => {
  expect(viewPipeline(pipeline('p'), JOBS, [])).toMatchObject({ since: 60, isRunning: false });
  const good = [
    job('a', { finished_build: build('succeeded', 50) }),
    job('b', { finished_build: build('succeeded', 90) }),
  ];
  expect(viewPipeline(pipeline('p'), good, []).since).toBe(90);
  const running = [job('a', { next_build: build('started') })];
  expect(viewPipeline(pipeline('p'), running, []).isRunning).toBe(true);
});

test('[UI-DASH3] jobs stand after those that their inputs passed', () => {
  const input = (...passed: string[]) => ({ inputs: [{ name: 'r', resource: 'r', passed }] });
  const jobs = [
    job('ship', input('test', 'lint')),
    job('test', input('build')),
    job('build'),
    job('lint', input('gone')),
  ];
  expect(columnsOf(jobs).map((column) => column.map(({ name }) => name))).toEqual([
    ['build', 'lint'],
    ['test'],
    ['ship'],
  ]);
  const circle = [job('a', input('b')), job('b', input('a'))];
  expect(columnsOf(circle).flat()).toHaveLength(2);
});

test('[UI-DASH4] the user’s own teams come first', () => {
  const views = ['zoo', 'alpha', 'mine', 'other'].map((team_name) =>
    viewPipeline(pipeline('p', { team_name }), [], []),
  );
  const user = { teams: { zoo: ['owner'], mine: ['viewer'] } } as unknown as UserAnswer;
  expect(teamsOf(views, user).map(({ name }) => name)).toEqual(['zoo', 'mine', 'alpha', 'other']);
  expect(teamsOf(views, null).map(({ name }) => name)).toEqual(['alpha', 'mine', 'other', 'zoo']);
});

test('[UI-DASH5] instances share a card where the first one stands', () => {
  const views = [
    pipeline('web'),
    pipeline('rel', { instance_vars: { b: 1 } }),
    pipeline('app'),
    pipeline('rel', { instance_vars: { b: 2 } }),
  ].map((each) => viewPipeline(each, [], []));
  expect(
    cardsOf(views, false).map((card) =>
      card.kind === 'group' ? [card.name, card.views.length] : card.view.pipeline.name,
    ),
  ).toEqual(['web', ['rel', 2], 'app']);
  expect(cardsOf(views, true)).toHaveLength(4);
  const vars = { os: { arch: ['arm64'] }, branch: 'main' };
  expect(varsText(vars)).toBe('branch: main, os.arch: ["arm64"]');
  expect(varsTextOfQuery(instanceVarsQuery(vars))).toBe(varsText(vars));
  expect(varsTextOfQuery(instanceVarsQuery({ 'a"b': 1 }))).toBe('a"b: 1');
  expect(varsTextOfQuery('vars.a=not+json')).toBe('a: not json');
  expect(varsTextOfQuery('')).toBe('');
});

test('[UI-DASH6] failing checks are named', () => {
  const resource = (name: string, status: BuildSummaryAnswer['status']) => ({
    ...{ name, pipeline_id: 1, pipeline_name: 'p', team_name: 'main', type: 't' },
    build: build(status),
  });
  const resources = [resource('good', 'succeeded'), resource('bad', 'failed'), resource('worse', 'errored')];
  const [view] = viewPipelines({ pipelines: [pipeline('p')], jobs: [job('a')], resources });
  expect(view?.failingChecks).toEqual(['bad', 'worse']);
  expect(view?.jobs).toHaveLength(1);
});

const VIEWS = {
  deploy: viewPipeline(pipeline('deploy'), JOBS, []),
  'web-site': viewPipeline(
    pipeline('web-site', { team_name: 'Front End' }),
    [job('a', { next_build: build('started') })],
    [],
  ),
  release: viewPipeline(pipeline('release', { instance_vars: { branch: 'v2', os: { name: 'linux' } } }), [], []),
  docs: viewPipeline(pipeline('docs', { paused: true }), [], []),
};

test.for([
  ['[UI-SEARCH1]', '', ['deploy', 'web-site', 'release', 'docs']],
  ['[UI-SEARCH1]', 'd -deploy', ['docs']],
  ['[UI-SEARCH1]', '  -status:paused   -group:release team:main ', ['deploy']],
  ['[UI-SEARCH2]', 'dpl', ['deploy']],
  ['[UI-SEARCH2]', 'DOC', ['docs']],
  ['[UI-SEARCH2]', 'linux', ['release']],
  ['[UI-SEARCH2]', '"doc"', []],
  ['[UI-SEARCH2]', '"docs"', ['docs']],
  ['[UI-SEARCH2]', '"do', ['docs']],
  ['[UI-SEARCH2]', '-', ['web-site']],
  ['[UI-SEARCH3]', 'team:"front end"', ['web-site']],
  ['[UI-SEARCH3]', 'team:front', ['web-site']],
  ['[UI-SEARCH3]', 'group:release', ['release']],
  ['[UI-SEARCH3]', 'group:deploy', []],
  ['[UI-SEARCH3]', 'status:failed', ['deploy']],
  ['[UI-SEARCH3]', 'status:running', ['web-site']],
  ['[UI-SEARCH3]', 'status:paused', ['docs']],
] as const)('%s `%s`', ([, search, found]) => {
  const terms = parseSearch(search);
  expect(Object.entries(VIEWS).flatMap(([name, view]) => (matches(terms, view) ? [name] : []))).toEqual(found);
});
