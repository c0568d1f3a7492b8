import { expect, test } from 'vitest';
import { taskNames } from './task-names.ts';

test('[UI-CACHE1] the tasks of a job are found in its plan and its hooks, each once', () => {
  const config = {
    jobs: [
      { name: 'other', plan: [{ task: 'elsewhere' }] },
      {
        name: 'unit',
        plan: [
          { get: 'repo', params: { task: 'none' } },
          {
            in_parallel: {
              steps: [{ task: 'lint', config: { params: { task: 'none' } } }, { do: [{ task: 'test' }] }],
            },
          },
          { try: { task: 'test' }, on_failure: { task: 'notify' } },
        ],
        ensure: { task: 'sweep' },
      },
    ],
  };
  expect(taskNames(config, 'unit')).toEqual(['lint', 'test', 'notify', 'sweep']);
  expect(taskNames(config, 'gone')).toEqual([]);
  expect(taskNames({}, 'unit')).toEqual([]);
});
