import { expect, test } from 'vitest';
import { othersSharing } from './sharing.ts';

const named = (name: string, pipeline = 'p') => ({ name, pipeline_name: pipeline, team_name: 'main' });

test('[UI-RES7] all others that share versions are named, those of other instances of the pipeline, too', () => {
  const own = { kind: 'resource', team: 'main', pipeline: 'p', name: 'r' } as const;
  expect(othersSharing({ resources: [named('r')], resource_types: [] }, own)).toEqual([]);
  const resources = [named('r'), named('r'), named('r'), named('r', 'q'), named('s')];
  expect(othersSharing({ resources, resource_types: [named('t')] }, own)).toEqual([
    'main / p / r (in another instance)',
    'main / q / r',
    'main / p / s',
    'main / p / t',
  ]);
  expect(
    othersSharing({ resources: [named('x')], resource_types: [named('t')] }, { ...own, kind: 'type', name: 't' }),
  ).toEqual(['main / p / x']);
});
