import type { WorkerAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { viewWorkers } from './worker-advice.ts';

function worker(name: string, state: WorkerAnswer['state'], addr = ''): WorkerAnswer {
  return {
    addr,
    baggageclaim_url: '',
    active_containers: 0,
    active_volumes: 0,
    active_tasks: 0,
    resource_types: [],
    platform: 'linux',
    tags: [],
    team: '',
    name,
    version: '2.5',
    start_time: 1,
    ephemeral: false,
    state,
  };
}

test('[UI-WORK1] workers with problems come first, with what is wrong and what to do', () => {
  const views = viewWorkers([
    worker('b', 'running'),
    worker('a', 'running'),
    worker('z', 'running', 'the store does not answer; the disk is full'),
    worker('y', 'stalled'),
    worker('x', 'landed'),
  ]);
  expect(views.map(({ worker: { name } }) => name)).toEqual(['x', 'y', 'z', 'a', 'b']);
  expect(views[2]).toMatchObject({ isWell: false, problems: ['the store does not answer', 'the disk is full'] });
  expect(views[1]?.advice).toContain('prune it');
  expect(views.filter(({ mayPrune }) => mayPrune).map(({ worker: { name } }) => name)).toEqual(['x', 'y']);
  expect(views[3]).toMatchObject({ isWell: true, problems: [], advice: undefined });
});
