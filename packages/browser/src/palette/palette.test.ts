import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findItems, itemsOf, type PaletteItem } from './palette.ts';

const PIPELINES = [
  { id: 1, name: 'deploy', team_name: 'main', archived: false },
  { id: 2, name: 'release', team_name: 'main', archived: false, instance_vars: { branch: 'a b' } },
  { id: 3, name: 'old', team_name: 'main', archived: true },
] as unknown as PipelineAnswer[];
const JOBS = [{ name: 'smoke', team_name: 'main', pipeline_name: 'deploy' }] as unknown as JobSummaryAnswer[];

test('[UI-PAL1] pages, pipelines and jobs are found by letters in their order, the best first', () => {
  const items = itemsOf(PIPELINES, JOBS);
  const found = (query: string) => findItems(items, query).map(({ text }) => text);
  expect(found('dpl')).toContain('deploy');
  expect(found('deploy')[0]).toBe('deploy');
  expect(found('smoke')).toEqual(['deploy / smoke']);
  expect(found('wrk')).toEqual(['Workers']);
  expect(found('old')).not.toContain('old');
  expect(found('zzz')).toEqual([]);
  expect(found(' ').slice(0, 2)).toEqual(['All pipelines', 'Activity']);
  expect(findItems(items, 'release')[0]).toMatchObject({
    href: '/teams/main/pipelines/release?vars.branch=%22a+b%22',
  });
  expect(findItems(items, '#42')[0]).toMatchObject({ kind: 'build', href: '/builds/42' });
});

test('[UI-PAL1] every item is found by its own text, and the list has an end', () => {
  const text = fc.stringMatching(/^[a-z][a-z0-9/ -]{0,20}$/);
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 200 }), (texts) => {
      const items = texts.map((each): PaletteItem => ({ kind: 'pipeline', text: each, detail: '', href: '/' }));
      const [first = ''] = texts;
      const found = findItems(items, first);
      expect(found.length).toBeLessThanOrEqual(50);
      expect(found.length).toBeGreaterThan(0);
    }),
  );
});
