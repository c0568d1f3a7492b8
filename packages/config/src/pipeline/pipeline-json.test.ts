import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePipeline } from '../testing/parse-pipeline.ts';
import { randomPipeline } from '../testing/random-pipeline.ts';
import { parseJson } from '../text/parse-json.ts';
import type { PipelineConfig } from './pipeline.ts';
import { configToJson } from './pipeline-json.ts';
import { readPipeline, readSavedPipeline } from './read-pipeline.ts';

function read(text: string, format: 'yaml' | 'json' = 'yaml'): PipelineConfig {
  const result = parsePipeline(text, { format });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.config;
}

test('[CFG-PIPE6] writes what Concourse writes', () => {
  const config = read(`
user_data: {owner: me}
display: {}
resource_types: [{name: t, type: mock, defaults: {}, privileged: false}]
resources: [{name: r, type: t, source: {}, public: false, check_every: 2m}]
jobs:
- name: j
  serial: no
  build_log_retention: {}
  on_success: {put: r, inputs: nothing, no_get: false}
  plan:
  - in_parallel: [{get: r, trigger: false, passed: [], version: other, params: {}}]
    timeout: 1h
    ensure: {in_parallel: []}
  - {task: t, config: {platform: linux, image_resource: {type: mock}, params: {A: 1}, inputs: []}, container_limits: {}}
  - {do: [], across: [{var: v}], fail_fast: false, attempts: 2}
`);
  expect(configToJson(config)).toEqual({
    user_data: { owner: 'me' },
    display: {},
    resource_types: [{ name: 't', type: 'mock', source: null }],
    resources: [{ name: 'r', type: 't', source: {}, check_every: '2m0s' }],
    jobs: [
      {
        name: 'j',
        build_log_retention: {},
        on_success: { put: 'r', inputs: '' },
        plan: [
          {
            in_parallel: { steps: [{ get: 'r', version: '' }] },
            timeout: '1h',
            ensure: { in_parallel: {} },
          },
          {
            task: 't',
            config: {
              platform: 'linux',
              image_resource: { name: '', type: 'mock', source: null },
              params: { A: '1' },
              run: { path: '' },
            },
            container_limits: {},
          },
          { do: [], across: [{ var: 'v' }], attempts: 2 },
        ],
      },
    ],
  });
});

test('[CFG-PIPE6] is the same pipeline when read again', () => {
  fc.assert(
    fc.property(randomPipeline, (pipeline) => {
      const config = read(JSON.stringify(pipeline), 'json');
      const json = configToJson(config);
      expect(readPipeline(parseJson(JSON.stringify(json)))).toEqual({ ok: true, config, warnings: expect.any(Array) });
    }),
  );
});

test('[CFG-PIPE6] a plan or do that was not written is null, and an empty one is empty', () => {
  const steps = '[{do: }, {do: []}, {try: {do: ~}}]';
  const config = read(`jobs: [{name: a}, {name: b, plan: ~}, {name: c, plan: []}, {name: d, plan: ${steps}}]`);
  const json = configToJson(config);
  expect(json['jobs']).toEqual([
    { name: 'a', plan: null },
    { name: 'b', plan: null },
    { name: 'c', plan: [] },
    { name: 'd', plan: [{ do: null }, { do: [] }, { try: { do: null } }] },
  ]);
  expect(configToJson(readSavedPipeline(json))).toEqual(json);
});

test('[CFG-PIPE6] keeps large numbers on the way', () => {
  const text = JSON.stringify(
    configToJson(
      read('resources: [{name: r, type: t, source: {id: 12345678901234567890}}]\njobs: [{name: j, plan: [{get: r}]}]'),
    ),
  );
  expect(text).toContain('"source":{"id":12345678901234567890}');
  expect(JSON.stringify(configToJson(read(text, 'json')))).toBe(text);
});

test('[CFG-PIPE8] a saved pipeline is read without judging it again', () => {
  const unused = { resources: [{ name: 'r', type: 't', source: null }], jobs: [{ name: 'j', plan: [] }] };
  expect(readPipeline(unused).ok).toBe(false);
  expect(configToJson(readSavedPipeline(unused))).toEqual(unused);
  expect(() => readSavedPipeline([])).toThrow('the saved pipeline cannot be read: ');
});
