import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JobNames, jobInputs } from '../pipeline/job-inputs.ts';
import type { JobConfig, PipelineConfig } from '../pipeline/pipeline.ts';
import { readPipeline } from '../pipeline/read-pipeline.ts';
import { parsePipeline } from '../testing/parse-pipeline.ts';
import { randomPipeline } from '../testing/random-pipeline.ts';
import type { JsonObject } from '../values.ts';
import { buildJobPlan, type JobPlanRequest } from './build-job-plan.ts';
import { parsePlan } from './parse-plan.ts';
import type { Plan } from './plan.ts';

function firstJob(config: PipelineConfig, more: Partial<JobPlanRequest> = {}): Plan {
  const job = config.jobs[0] as JobConfig;
  const inputs = Object.fromEntries(jobInputs(new JobNames(config), job).map(({ name }) => [name, { v: name }]));
  return buildJobPlan({ pipeline: config, job, inputs, manuallyTriggered: false, ...more });
}

function read(text: string): PipelineConfig {
  const result = parsePipeline(text, { format: 'yaml' });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.config;
}

/** The plan of a job with the given steps; resource `r` is of the base type `mock`. */
function plan(steps: string, more: Partial<JobPlanRequest> = {}): Plan {
  return firstJob(
    read(
      `resources: [{name: r, type: mock, source: {a: 1}}]\njobs: [{name: j, plan: [${steps}]}, {name: k, plan: [{put: r}]}]`,
    ),
    more,
  );
}

const mock = { type: 'mock', source: { a: 1 }, resource: 'r', image: { base_type: 'mock' } };
const task = (id: string, name: string, more = {}) => ({
  id,
  ...more,
  task: { name, config_path: 'f', privileged: false, hermetic: false },
});

describe('shape', () => {
  test('[CFG-PLAN1] numbers a step after those within it', () => {
    expect(
      plan('{get: r, params: {p: 1}, timeout: 1h}, {try: {task: t, file: f}}, {in_parallel: {limit: 2, steps: []}}'),
    ).toEqual({
      id: '5',
      do: [
        { id: '1', get: { name: 'r', ...mock, version: { v: 'r' }, params: { p: 1 }, timeout: '1h' } },
        { id: '3', try: { step: task('2', 't') } },
        { id: '4', in_parallel: { steps: [], limit: 2 } },
      ],
    });
    expect(plan(Array(15).fill('{do: []}').join(', ')).id).toBe('10');
  });

  test('[CFG-PLAN2] puts hooks around steps and the job', () => {
    const config = read(`jobs: [{name: j, plan: [{task: t, file: f, on_abort: {task: h, file: f}}],
      ensure: {task: e, file: f}, on_success: {task: s, file: f}, on_failure: {task: x, file: f}}]`);
    expect(firstJob(config)).toEqual({
      id: 'a',
      ensure: {
        step: {
          id: '8',
          on_failure: {
            step: {
              id: '6',
              on_success: {
                step: { id: '4', do: [{ id: '3', on_abort: { step: task('1', 't'), on_abort: task('2', 'h') } }] },
                on_success: task('5', 's'),
              },
            },
            on_failure: task('7', 'x'),
          },
        },
        ensure: task('9', 'e'),
      },
    });
  });

  test('[CFG-PLAN3] gets what a put made', () => {
    const put = { name: 'out', ...mock, params: { p: 1 }, inputs: ['a'], tags: ['x'], timeout: '1h' };
    expect(
      plan('{put: out, resource: r, params: {p: 1}, get_params: {g: 1}, inputs: [a], tags: [x], timeout: 1h}'),
    ).toEqual({
      id: '4',
      do: [
        {
          id: '3',
          on_success: {
            step: { id: '1', put },
            on_success: {
              id: '2',
              get: { name: 'out', ...mock, version_from: '1', params: { g: 1 }, tags: ['x'], timeout: '1h' },
            },
          },
        },
      ],
    });
    expect(plan('{put: r, no_get: true, inputs: whatever}')).toEqual({
      id: '2',
      do: [{ id: '1', put: { name: 'r', ...mock, inputs: [] } }],
    });
  });

  test('[CFG-PLAN4] plans each attempt', () => {
    expect(plan('{do: [{task: t, file: f, attempts: 2}], attempts: 2}')).toEqual({
      id: 'a',
      do: [
        {
          id: '9',
          retry: [1, 2].map((outer) => {
            const first = outer === 1 ? 1 : 5;
            return {
              id: String(first + 3),
              attempts: [outer],
              do: [
                {
                  id: String(first + 2),
                  attempts: [outer],
                  retry: [
                    task(String(first), 't', { attempts: [outer, 1] }),
                    task(String(first + 1), 't', { attempts: [outer, 2] }),
                  ],
                },
              ],
            };
          }),
        },
      ],
    });
  });

  test('[CFG-PLAN5] keeps the step of an across as text', () => {
    const across = plan(
      '{across: [{var: v, values: ((list)), max_in_flight: all}], fail_fast: true, task: ((.:v)), file: f}',
    );
    expect(across).toEqual({
      id: '3',
      do: [
        {
          id: '2',
          across: {
            vars: [{ name: 'v', values: '((list))', max_in_flight: 'all' }],
            substep_template: expect.any(String),
            fail_fast: true,
          },
        },
      ],
    });
    const [{ across: body }] = (across as unknown as { do: [{ across: { substep_template: string } }] }).do;
    expect(JSON.parse(body.substep_template)).toEqual(task('1', '((.:v))'));
  });

  test('[CFG-PLAN9] plans tasks, variables, pipelines and prototypes', () => {
    const config = read(`
resource_types: [{name: t, type: mock}]
prototypes: [{name: p, type: t, defaults: {a: 1, b: 1}}]
jobs:
- name: j
  plan:
  - {task: t, config: {platform: linux, run: {path: x}}, privileged: true, hermetic: true, params: {A: b}, vars: {c: 1},
     image: i, input_mapping: {a: b}, output_mapping: {c: d}, container_limits: {cpu: 1}, timeout: 1h, tags: [x]}
  - {set_pipeline: self, file: f, team: o, vars: {a: 1}, var_files: [v], instance_vars: {b: 1}}
  - {load_var: v, file: f, format: json, reveal: true}
  - {run: go, type: p, params: {b: 2}, privileged: true}
  - {do: [], timeout: 1h}`);
    expect(firstJob(config, { manuallyTriggered: true })).toEqual({
      id: '7',
      do: [
        {
          id: '1',
          task: {
            name: 't',
            config: { platform: 'linux', run: { path: 'x' } },
            privileged: true,
            hermetic: true,
            params: { A: 'b' },
            vars: { c: 1 },
            image: 'i',
            input_mapping: { a: 'b' },
            output_mapping: { c: 'd' },
            container_limits: { cpu: 1 },
            timeout: '1h',
            tags: ['x'],
            resource_types: [{ name: 't', type: 'mock', source: {} }],
            check_skip_interval: true,
          },
        },
        {
          id: '2',
          set_pipeline: {
            name: 'self',
            file: 'f',
            team: 'o',
            vars: { a: 1 },
            var_files: ['v'],
            instance_vars: { b: 1 },
          },
        },
        { id: '3', load_var: { name: 'v', file: 'f', format: 'json', reveal: true } },
        { id: '4', run: { message: 'go', type: 'p', object: { a: 1, b: 2 }, privileged: true } },
        { id: '6', timeout: { step: { id: '5', do: [] }, duration: '1h' } },
      ],
    });
  });
});

describe('defaults that steps take from around them', () => {
  test('[CFG-PLAN6] puts defaults under sources', () => {
    const config = read(`
resource_types:
- {name: git, type: registry-image, source: {repository: g}, defaults: {depth: 1, branch: main}}
- {name: registry-image, type: registry-image, source: {repository: r}}
resources: [{name: a, type: git, source: {branch: dev}}, {name: b, type: mock}]
jobs: [{name: j, plan: [{get: a}, {get: b}]}]`);
    const baseTypeDefaults = { 'registry-image': { mirror: 'm' }, mock: { x: 1 }, git: { never: true } };
    expect(firstJob(config, { baseTypeDefaults })).toMatchObject({
      do: [
        {
          get: {
            source: { depth: 1, branch: 'dev' },
            image: { get_plan: { get: { source: { repository: 'g' } } } },
          },
        },
        { get: { source: { x: 1 } } },
      ],
    });
    const types = (
      firstJob(
        read(`resource_types: [{name: registry-image, type: registry-image, source: {a: 1}}]
jobs: [{name: j, plan: [{task: t, file: f}]}]`),
        { baseTypeDefaults },
      ) as unknown as { do: [{ task: JsonObject }] }
    ).do[0].task;
    expect(types['resource_types']).toEqual([
      { name: 'registry-image', type: 'registry-image', source: { mirror: 'm', a: 1 } },
    ]);
  });

  test('[CFG-PLAN7] hands tags down', () => {
    const config = read(`
resources: [{name: r, type: mock}]
jobs:
- name: j
  tags: [job]
  on_failure: {task: hook, file: f}
  plan:
  - {task: plain, file: f}
  - {do: [{get: r}, {in_parallel: [{put: r, no_get: true, tags: [own]}], tags: [par]}, {try: {in_parallel: {steps: [{task: deep, file: f}]}}}], tags: [do]}`);
    const tags = [...JSON.stringify(firstJob(config)).matchAll(/"tags":\["(\w+)"\]/g)].map((match) => match[1]);
    expect(tags).toEqual(['job', 'do', 'own', 'do', 'job']);
  });

  test('[CFG-PLAN8] refuses what has no version or is not known', () => {
    expect(() => plan('{get: r}', { inputs: {} })).toThrow('version for input r not provided');
    expect(() => plan('{get: r}', { pipeline: { resources: [], resource_types: [], prototypes: [] } })).toThrow(
      'unknown resource: r',
    );
    const run: JobConfig = { name: 'j', plan: [{ kind: 'run', message: 'm', type: 'p' }] };
    expect(() => plan('{get: r}', { job: run })).toThrow('unknown prototype: p');
  });

  test('[CFG-PLAN9] a build somebody asked for skips intervals for puts, not for gets', () => {
    const config = read(`
resource_types: [{name: t, type: mock}]
resources: [{name: r, type: t}]
jobs: [{name: j, plan: [{get: r}, {put: r, no_get: true}]}]`);
    for (const manuallyTriggered of [true, false]) {
      const [{ get }, { put }] = (
        firstJob(config, { manuallyTriggered }) as unknown as { do: [JsonObject, JsonObject] }
      ).do;
      expect(JSON.stringify(get)).not.toContain('skip_interval');
      expect(JSON.stringify(put).includes('"skip_interval":true')).toBe(manuallyTriggered);
    }
  });
});

describe('any pipeline', () => {
  test('[CFG-PLAN1] has plans with ids of their own', () => {
    fc.assert(
      fc.property(randomPipeline, fc.boolean(), (pipeline, manuallyTriggered) => {
        const result = readPipeline(pipeline);
        if (!result.ok) throw new Error(result.errors.join());
        const ids = [
          ...JSON.stringify(firstJob(result.config, { manuallyTriggered })).matchAll(/\\*"id\\*":\\*"([^"\\]+)/g),
        ].map(([, id]) => id);
        expect(ids.length).toBeGreaterThan(0);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test('[CFG-WIRE1] has a plan that reads back the same', () => {
    fc.assert(
      fc.property(randomPipeline, (pipeline) => {
        const result = readPipeline(pipeline);
        if (!result.ok) throw new Error(result.errors.join());
        const built = firstJob(result.config);
        expect(parsePlan(JSON.parse(JSON.stringify(built)))).toEqual(built);
      }),
    );
  });
});
