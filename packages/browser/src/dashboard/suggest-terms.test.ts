import type { PipelineAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { suggestTerms, termsOf } from './suggest-terms.ts';

const VALUES = { status: ['failed', 'paused'], team: ['main', 'the others'], group: ['release'] };

test.for([
  ['', ['status:', 'status:failed', 'status:paused', 'team:', 'group:']],
  ['t', ['team:']],
  ['web', []],
  ['status:', ['status:failed', 'status:paused']],
  ['status:fai', ['status:failed']],
  ['status:failed', []],
  ['team:', ['team:main', 'team:"the others"']],
  ['web -te', ['web -team:']],
  ['web -team:m', ['web -team:main']],
  ['status:failed ', ['status:', 'status:failed', 'status:paused', 'team:', 'group:'].map((t) => `status:failed ${t}`)],
  ['group:r', ['group:release']],
  ['"an exact s', []],
] as const)('[UI-SUGGEST1] after %j come %j', ([search, suggested]) => {
  expect(suggestTerms(search, VALUES)).toEqual(suggested);
});

test('[UI-SUGGEST1] without teams there is no term for them', () => {
  expect(suggestTerms('t', { status: ['failed'] })).toEqual([]);
});

test('[UI-SUGGEST1] teams and groups are those of the pipelines, each once', () => {
  const pipelines = [
    { name: 'web', team_name: 'main' },
    { name: 'release', team_name: 'a', instance_vars: { os: 'linux' } },
    { name: 'release', team_name: 'a', instance_vars: { os: 'darwin' } },
  ] as unknown as PipelineAnswer[];
  const { team, group } = termsOf(pipelines);
  expect({ team, group }).toEqual({ team: ['a', 'main'], group: ['release'] });
});
