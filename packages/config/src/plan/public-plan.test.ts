import { expect, test } from 'vitest';
import type { Plan } from './plan.ts';
import { publicPlan } from './public-plan.ts';

const secret = { secret: 'hunter2' };
const image = {
  base_type: 'mock',
  get_plan: { id: 'g', get: { name: 't', type: 'mock', source: secret, image: {}, version_from: 'c' } },
  check_plan: { id: 'c', check: { name: 't', type: 'mock', source: secret, image: {} } },
};
const shownImage = {
  image_get_plan: { id: 'g', get: { name: 't', type: 'mock' } },
  image_check_plan: { id: 'c', check: { name: 't', type: 'mock' } },
};
const leaf: Plan = { id: '9', load_var: { name: 'v', file: 'f' } };
const shownLeaf = { id: '9', load_var: { name: 'v' } };

test.each<[Plan, object]>([
  [
    {
      id: '1',
      get: { name: 'a', type: 't', source: secret, image, version: { v: '1' }, params: secret, resource: 'r' },
    },
    { get: { name: 'a', type: 't', resource: 'r', version: { v: '1' }, ...shownImage } },
  ],
  [{ id: '1', get: { type: 't', source: {}, image: {}, version_from: '0' } }, { get: { name: '', type: 't' } }],
  [
    { id: '1', put: { name: 'a', type: 't', source: secret, image, params: secret } },
    { put: { name: 'a', type: 't', ...shownImage } },
  ],
  [
    { id: '1', check: { name: 'a', type: 't', source: secret, image, resource: 'r' } },
    { check: { name: 'a', type: 't', ...shownImage } },
  ],
  [
    { id: '1', attempts: [1], task: { name: 'a', privileged: true, params: { P: 'hunter2' }, config_path: 'hunter2' } },
    { task: { name: 'a', privileged: true, hermetic: false } },
  ],
  [
    { id: '1', run: { message: 'm', type: 't', privileged: false, object: secret } },
    { run: { message: 'm', type: 't', privileged: false } },
  ],
  [
    { id: '1', set_pipeline: { name: 'p', file: 'f', vars: secret, instance_vars: { a: 1 } } },
    { set_pipeline: { name: 'p', team: '', instance_vars: { a: 1 } } },
  ],
  [{ id: '1', do: [leaf] }, { do: [shownLeaf] }],
  [
    { id: '1', in_parallel: { steps: [leaf], limit: 2, fail_fast: true } },
    { in_parallel: { steps: [shownLeaf], limit: 2, fail_fast: true } },
  ],
  [
    { id: '1', across: { vars: [{ name: 'v', values: ['hunter2'] }], substep_template: 'hunter2', fail_fast: true } },
    { across: { vars: [{ name: 'v' }], fail_fast: true } },
  ],
  [{ id: '1', try: { step: leaf } }, { try: { step: shownLeaf } }],
  [{ id: '1', timeout: { step: leaf, duration: '1h' } }, { timeout: { step: shownLeaf, duration: '1h' } }],
  [{ id: '1', retry: [leaf, leaf] }, { retry: [shownLeaf, shownLeaf] }],
  [{ id: '1', artifact_input: { artifact_id: 3, name: 'i' } }, { artifact_input: { artifact_id: 3, name: 'i' } }],
  [{ id: '1', artifact_output: { name: 'o' } }, { artifact_output: { name: 'o' } }],
  [
    { id: '1', on_success: { step: leaf, on_success: leaf } },
    { on_success: { step: shownLeaf, on_success: shownLeaf } },
  ],
  [
    { id: '1', on_failure: { step: leaf, on_failure: leaf } },
    { on_failure: { step: shownLeaf, on_failure: shownLeaf } },
  ],
  [{ id: '1', on_abort: { step: leaf, on_abort: leaf } }, { on_abort: { step: shownLeaf, on_abort: shownLeaf } }],
  [{ id: '1', on_error: { step: leaf, on_error: leaf } }, { on_error: { step: shownLeaf, on_error: shownLeaf } }],
  [{ id: '1', ensure: { step: leaf, ensure: leaf } }, { ensure: { step: shownLeaf, ensure: shownLeaf } }],
])('[CFG-PUBLIC1] shows %j', (plan, shown) => {
  expect(publicPlan(plan)).toEqual({ id: '1', ...shown });
  expect(JSON.stringify(publicPlan(plan))).not.toContain('hunter2');
});
