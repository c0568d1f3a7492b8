import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildPath,
  causalityPath,
  configPath,
  dashboardPath,
  followPath,
  hidesBars,
  jobPath,
  parseRoute,
  pipelinePath,
  resourcePath,
  signInPath,
  withSearch,
} from './routes.ts';

test.for([
  ['/', { page: 'dashboard', search: '', dense: false, archived: false }],
  ['/?search=team%3Amain', { page: 'dashboard', search: 'team:main', dense: false, archived: false }],
  ['/hd', { page: 'dashboard', search: '', dense: true, archived: false }],
  ['/?view=all&hide_ui=true', { page: 'dashboard', search: '', dense: false, archived: true }],
  [
    '/teams/t/pipelines/p?group=a&group=b',
    { page: 'pipeline', team: 't', pipeline: 'p', vars: '', groups: ['a', 'b'] },
  ],
  ['/teams/t/pipelines/p/config?vars.a=1', { page: 'config', team: 't', pipeline: 'p', vars: 'vars.a=1' }],
  [
    '/teams/t/pipelines/p/jobs/j?vars.a=%22b%22&to=7&limit=100',
    { page: 'job', team: 't', pipeline: 'p', vars: 'vars.a=%22b%22', job: 'j', to: '7' },
  ],
  [
    '/teams/t/pipelines/p/jobs/j/builds/3.1#L5f1:3',
    { page: 'build', team: 't', pipeline: 'p', vars: '', job: 'j', build: '3.1' },
  ],
  [
    '/teams/t/pipelines/p/resources/r?filter=ref%3Aa%3Ab&filter=x%3A1&from=3&limit=100',
    { page: 'resource', team: 't', pipeline: 'p', vars: '', resource: 'r', filters: ['ref:a:b', 'x:1'], from: '3' },
  ],
  [
    '/teams/t/pipelines/p/resources/r/causality/12/upstream?vars.a=1',
    {
      page: 'causality',
      team: 't',
      pipeline: 'p',
      vars: 'vars.a=1',
      resource: 'r',
      version: '12',
      direction: 'upstream',
    },
  ],
  [
    '/teams/t/pipelines/p?search=status%3Afailed',
    { page: 'pipeline', team: 't', pipeline: 'p', vars: '', groups: [], search: 'status:failed' },
  ],
  ['/teams/t/pipelines/p?follow=x', { page: 'pipeline', team: 't', pipeline: 'p', vars: '', groups: [] }],
  ['/builds/42', { page: 'one-off', id: '42' }],
  ['/builds/42?view=timeline', { page: 'one-off', id: '42', view: 'timeline' }],
  ['/builds/42?view=other', { page: 'one-off', id: '42' }],
  ['/new-pipeline', { page: 'new-pipeline' }],
  ['/activity', { page: 'activity' }],
  ['/workers', { page: 'workers' }],
  ['/fly_success?noop=true', { page: 'fly', port: undefined, isDone: true }],
] as const)('[UI-ROUTE1] %s', ([address, route]) => {
  expect(parseRoute(address)).toEqual(route);
});

test.for([
  '/nowhere',
  '/teams',
  '/teams/t/pipelines/',
  '/teams/t/pipelines/p/jobs',
  '/builds/',
  '/builds/1/2',
  '/teams/t/pipelines/p/resources/r/causality/12/sideways',
  '/%',
  '',
])('[UI-ROUTE1] %s is not a page', (address) => {
  expect(parseRoute(address)).toBeUndefined();
});

test('[UI-ROUTE2] links are read back as they were', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(name, name, name, name, fc.option(fc.json()), (team, pipeline, job, build, json) => {
      const vars = json === null ? '' : new URLSearchParams({ 'vars.a': json }).toString();
      const ref = { team, pipeline, vars };
      expect(parseRoute(pipelinePath(ref))).toEqual({ page: 'pipeline', groups: [], ...ref });
      expect(parseRoute(configPath(ref))).toEqual({ page: 'config', ...ref });
      expect(parseRoute(jobPath(ref, job))).toEqual({ page: 'job', job, ...ref });
      expect(parseRoute(followPath(ref, job, 7))).toMatchObject({ follow: { resource: job, version: '7' }, ...ref });
      expect(parseRoute(causalityPath(ref, job, 7, 'downstream'))).toMatchObject({
        resource: job,
        version: '7',
        ...ref,
      });
      expect(parseRoute(resourcePath(ref, job))).toEqual({ page: 'resource', resource: job, filters: [], ...ref });
      expect(parseRoute(buildPath(ref, job, build))).toEqual({ page: 'build', job, build, ...ref });
    }),
  );
});

test('[UI-ROUTE2] the link to the sign-in page keeps the whole address', () => {
  const link = new URL(signInPath('/builds/7?x=1#L5:1:2'), 'http://here');
  expect(link.searchParams.get('redirect_uri')).toBe('/builds/7?x=1#L5:1:2');
});

test.for([
  ['1234', '1234'],
  ['65536', undefined],
  ['80@evil.example', undefined],
  ['', undefined],
] as const)('[UI-ROUTE3] the port %s', ([text, port]) => {
  const address = `/fly_success?${new URLSearchParams({ fly_port: text })}`;
  expect(parseRoute(address)).toEqual({ page: 'fly', port, isDone: false });
});

test('[UI-ROUTE2] the dashboard of a link is read back as the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.boolean(), (search, dense, archived) => {
      const view = { page: 'dashboard', search, dense, archived } as const;
      expect(parseRoute(dashboardPath(view))).toEqual(view);
    }),
  );
});

test('[UI-ROUTE4] only hide_ui=true takes the bars from a page', () => {
  expect(hidesBars('/teams/t/pipelines/p?group=a&hide_ui=true#x')).toBe(true);
  for (const address of ['/', '/?hide_ui=false', '/?hide_ui', '/#hide_ui=true']) expect(hidesBars(address)).toBe(false);
});

test('[UI-ROUTE2] a search of jobs changes nothing else in the address of a pipeline', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, fc.json(), (group, search, json) => {
      const query = new URLSearchParams({ group, 'vars.a': json, search: 'old', hide_ui: 'true' }).toString();
      const address = withSearch(`/teams/t/pipelines/p?${query}`, search);
      const { search: found = '', ...rest } = parseRoute(address) as { search?: string };
      expect(found).toBe(search);
      expect(rest).toEqual({
        page: 'pipeline',
        team: 't',
        pipeline: 'p',
        groups: [group],
        vars: new URLSearchParams({ 'vars.a': json }).toString(),
      });
      expect(hidesBars(address)).toBe(true);
    }),
  );
});
