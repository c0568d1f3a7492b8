import { expect, test } from 'vitest';
import { isNewVersion } from './step-version.tsx';
import { type LeafStep, stepsOf } from './steps.ts';

const plan = { id: '1', get: { name: 'source', resource: 'repo', type: 'git' } };
const input = { name: 'source', version: { ref: 'a' }, pipeline_id: 1, first_occurrence: true };

test('[UI-STEP5] a get knows its resource, and whether its version is new to the job', () => {
  const step = { ...(stepsOf(plan, new Map()) as LeafStep), version: { ref: 'a' } };
  expect(step.resource).toBe('repo');
  expect(isNewVersion(step, [input])).toBe(true);
  expect(isNewVersion(step, [{ ...input, first_occurrence: false }])).toBe(false);
  expect(isNewVersion(step, [{ ...input, version: { ref: 'b' } }])).toBe(false);
  expect(isNewVersion({ ...step, type: 'put' }, [input])).toBe(false);
  expect(isNewVersion(step, undefined)).toBe(false);
});
