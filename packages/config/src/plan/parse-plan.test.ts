import { describe, expect, test } from 'vitest';
import type { Json } from '../values.ts';
import { parsePlan } from './parse-plan.ts';

describe('plans from outside', () => {
  test('[CFG-WIRE1] reads what fly execute sends', () => {
    const sent = {
      id: 'a',
      ensure: {
        step: {
          id: '8',
          do: [
            {
              id: '5',
              in_parallel: {
                steps: [
                  { id: '3', artifact_input: { artifact_id: 12, name: 'src' } },
                  {
                    id: '4',
                    get: {
                      name: 'dep',
                      type: 'custom',
                      source: null,
                      image: {
                        check_plan: {
                          id: '4/image-check',
                          check: {
                            name: 'custom',
                            type: 'mock',
                            source: {},
                            image: { base_type: 'mock' },
                            interval: '1m0s',
                          },
                        },
                        get_plan: {
                          id: '4/image-get',
                          get: {
                            name: 'custom',
                            type: 'mock',
                            source: {},
                            image: { base_type: 'mock' },
                            version_from: '4/image-check',
                          },
                        },
                        base_type: 'mock',
                      },
                      version: { v: '1' },
                    },
                  },
                ],
              },
            },
            {
              id: '6',
              task: {
                name: 'one-off',
                privileged: true,
                hermetic: false,
                tags: ['x'],
                config: {
                  platform: 'linux',
                  image_resource: { name: '', type: 'mock', source: { a: 1 } },
                  params: { A: '1' },
                  run: { path: 'sh', args: ['-c', 'true'] },
                  inputs: [{ name: 'src' }],
                },
                resource_types: [{ name: 'custom', type: 'mock', source: null, defaults: { d: 1 } }],
              },
            },
          ],
        },
        ensure: { id: '9', in_parallel: { steps: [{ id: '7', artifact_output: { name: 'bin' } }] } },
      },
    };
    const plan = parsePlan(sent as Json) as unknown as typeof sent;
    expect(plan.ensure.step.do[1]).toEqual({
      id: '6',
      task: {
        name: 'one-off',
        privileged: true,
        hermetic: false,
        tags: ['x'],
        config: {
          platform: 'linux',
          image_resource: { type: 'mock', source: { a: 1 } },
          params: { A: '1' },
          run: { path: 'sh', args: ['-c', 'true'] },
          inputs: [{ name: 'src' }],
        },
        resource_types: [{ name: 'custom', type: 'mock', source: {}, defaults: { d: 1 } }],
      },
    });
    expect(plan.ensure.step.do[0]).toMatchObject({
      in_parallel: { steps: [sent.ensure.step.do[0]?.in_parallel?.steps[0], { get: { source: {} } }] },
    });
    expect(plan.ensure.ensure).toEqual(sent.ensure.ensure);
  });

  test.each<[Json, string]>([
    ['x', 'invalid plan: a plan must be an object'],
    [{ id: '1' }, 'invalid plan: a plan must have one of ["get" "put" '],
    [{ id: '1', do: [], retry: [] }, 'invalid plan: a plan must be one step, but has ["do" "retry"]'],
    [{ do: [] }, 'invalid plan: field "id" is missing'],
    [{ id: '1', do: [{ id: '2', task: {} }] }, 'field "name" is missing (at do[0].task)'],
    [{ id: '1', do: [{ id: '2', try: { step: { id: '3' } } }] }, '(at do[0].try.step)'],
    [
      { id: '1', artifact_input: { artifact_id: 'x', name: 'n' } },
      'cannot unmarshal string into a field of type int (at artifact_input.artifact_id)',
    ],
    [{ id: '1', task: { name: 't', config: { run: {}, oops: 1 } } }, 'unknown fields ["oops"] (at task.config)'],
    [{ id: '1', get: { type: 'a', source: {}, image: { get_plan: { id: 1, do: [] } } } }, '(at get.image.get_plan.id)'],
    [
      { id: '1', get: { type: 'git', source: {}, image: { base_type: 'mock' } } },
      'image.base_type must be the type git, or image.get_plan must fetch the image (at get)',
    ],
    [{ id: '1', put: { name: 'p', type: 'git', image: { base_type: 'mock' } } }, 'must be the type git'],
    [{ id: '1', check: { name: 'c', type: 'git', image: { base_type: 'mock' } } }, 'must be the type git'],
  ])('[CFG-WIRE1] refuses %j', (plan, message) => {
    expect(() => parsePlan(plan)).toThrow(message);
  });
});
