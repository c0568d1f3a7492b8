import { expect, test } from 'vitest';
import { parsePipeline } from '../testing/parse-pipeline.ts';
import { JobNames, jobInputs, jobOutputs } from './job-inputs.ts';
import type { JobConfig } from './pipeline.ts';

const result = parsePipeline(
  `
resources: [{name: src, type: git}, {name: img, type: registry-image}]
jobs:
- {name: unit-a, plan: [{get: src}]}
- {name: unit-b, plan: [{get: src}]}
- name: ship
  plan:
  - in_parallel:
    - {get: src, passed: ["unit-*", unit-a], trigger: true, version: every}
    - {try: {attempts: 2, get: base, resource: img, params: {p: 1}, tags: [x]}}
  - {put: img, on_failure: {put: status, resource: src}}
  ensure: {do: [{get: last, resource: img, version: {digest: d}}]}`,
  { format: 'yaml' },
);
if (!result.ok) throw new Error(result.errors.join());
const { config } = result;
const ship = config.jobs[2] as JobConfig;

test('[CFG-VALID6] finds every get of a job and the jobs its patterns stand for', () => {
  expect(jobInputs(new JobNames(config), ship)).toEqual([
    { name: 'src', resource: 'src', passed: ['unit-a', 'unit-b'], trigger: true, version: 'every' },
    { name: 'base', resource: 'img', passed: [], trigger: false, params: { p: 1 }, tags: ['x'] },
    { name: 'last', resource: 'img', passed: [], trigger: false, version: { digest: 'd' } },
  ]);
});

test('[CFG-VALID4] finds every put of a job', () => {
  expect(jobOutputs(ship)).toEqual([
    { name: 'img', resource: 'img' },
    { name: 'status', resource: 'src' },
  ]);
});

test('[CFG-VALID6] an entry that is not a valid pattern is a name', () => {
  const names = new JobNames({ ...config, jobs: [{ ...ship, name: '[' }, ship] });
  expect(names.matching(['[', '[x', 'sh?p'])).toEqual(['[', 'ship']);
});
