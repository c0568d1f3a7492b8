import { expect, test } from 'vitest';
import { limitsFor, orderWorkers, PLACEMENT_DEFAULTS, type PlacedType, type Strategy } from './strategies.ts';

const IDLE = { tasks: 0, sandboxes: 0, buildSandboxes: 0, artifacts: 0 };
const all = { ...PLACEMENT_DEFAULTS, maxTasks: 2, maxSandboxes: 5, maxArtifacts: 9 };
const workers = [
  { name: 'a', held: 0, load: { ...IDLE, tasks: 2, sandboxes: 5, buildSandboxes: 3 }, tieBreak: 0.3 },
  { name: 'b', held: 2, load: { ...IDLE, tasks: 1, sandboxes: 6, buildSandboxes: 3 }, tieBreak: 0.2 },
  { name: 'c', held: 2, load: { ...IDLE, tasks: 0, sandboxes: 4, buildSandboxes: 4, artifacts: 9 }, tieBreak: 0.1 },
];

function order(chain: Strategy[], type: PlacedType = 'task'): string {
  const limits = limitsFor({ ...all, build: chain, noInput: chain, check: chain }, type);
  return orderWorkers(chain, limits, type, workers)
    .map(({ name }) => name)
    .join('');
}

test('[ORC-PLACE1] each strategy has its order, and chance decides at last', () => {
  expect(order(['random'])).toBe('cba');
  expect(order([])).toBe('cba');
  expect(order(['volume-locality'])).toBe('cba');
  expect(order(['fewest-build-containers'])).toBe('bac');
  expect(order(['limit-active-tasks'])).toBe('cba');
  expect(order(['limit-active-containers'])).toBe('cba');
  expect(order(['limit-active-volumes'])).toBe('bac');
});

test('[ORC-PLACE1] a later strategy decides between workers that are equal for the earlier ones', () => {
  expect(order(['volume-locality', 'fewest-build-containers'])).toBe('bca');
  expect(order(['fewest-build-containers', 'volume-locality'])).toBe('bac');
  expect(order(['fewest-build-containers', 'limit-active-containers'])).toBe('bac');
});

test('[ORC-PLACE4] each group of steps has its chain; only tasks are limited by tasks', () => {
  const chain: Strategy[] = ['limit-active-tasks', 'limit-active-containers', 'limit-active-volumes'];
  const settings = { ...all, build: chain, noInput: ['limit-active-volumes'] as Strategy[] };
  expect(limitsFor(settings, 'task')).toEqual({ tasks: 2, sandboxes: 5, artifacts: 9 });
  expect(limitsFor(settings, 'put')).toEqual({ sandboxes: 5, artifacts: 9 });
  expect(limitsFor(settings, 'get')).toEqual({ artifacts: 9 });
  expect(limitsFor(settings, 'image-check')).toEqual({ artifacts: 9 });
  expect(limitsFor(settings, 'check')).toEqual({});
  expect(limitsFor({ ...settings, maxTasks: 0 }, 'task')).toEqual({ sandboxes: 5, artifacts: 9 });
  expect(order(['limit-active-tasks'], 'put')).toBe('cba');
});
