import { describe, expect, test } from 'vitest';
import type { StepConfig } from '../step/step.ts';
import { parsePipeline } from '../testing/parse-pipeline.ts';
import type { PipelineConfig } from './pipeline.ts';
import { readPipeline } from './read-pipeline.ts';

function read(text: string): PipelineConfig {
  const result = parsePipeline(text, { format: 'yaml' });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.config;
}

/** The one message about a text that is not a pipeline, without the beginning that all such messages share. */
function malformed(text: string): string {
  const result = parsePipeline(text, { format: 'yaml' });
  if (result.ok || result.reason !== 'malformed') throw new Error('it is a pipeline');
  expect(result.errors).toHaveLength(1);
  return (result.errors[0] as string).replace('malformed config: error unmarshaling JSON: while decoding JSON: ', '');
}

function readStep(yaml: string): StepConfig {
  const config = read(`resources: [{name: r, type: t}]\njobs: [{name: j, plan: [{get: r}, ${yaml}]}]`);
  return config.jobs[0]?.plan[1] as StepConfig;
}

describe('sections', () => {
  test('[CFG-PIPE10] the case of a field does not matter outside of steps', () => {
    const config = read('Resources: [{NAME: r, type: git, Check_Every: 1h}]\nJOBS: [{name: j, plan: [{get: r}]}]');
    expect(config.resources).toEqual([{ name: 'r', type: 'git', source: null, check_every: '1h0m0s' }]);
    expect(read('jobs: [{name: j, Name: k}]').jobs).toMatchObject([{ name: 'j' }]);
    const result = parsePipeline('jobs: [{name: j, plan: [{task: t, File: x}]}]', { format: 'yaml' });
    expect(result).toMatchObject({ ok: false, reason: 'invalid' });
  });

  test('[CFG-PIPE11] a name that all objects have is a name like any other', () => {
    const names = '{prototype: a, constructor: b, __proto__: c, toString: d}';
    const step = readStep(`{task: t, file: r/t.yml, input_mapping: ${names}}`);
    const mapping = (step as { input_mapping?: object }).input_mapping ?? {};
    expect(Object.entries(mapping)).toEqual([
      ['prototype', 'a'],
      ['constructor', 'b'],
      ['__proto__', 'c'],
      ['toString', 'd'],
    ]);
    for (const name of ['constructor', 'toString', '__proto__', 'prototype']) {
      expect(malformed(`jobs: [{name: j, ${name}: 1}]`)).toBe(`json: unknown field "${name}" (at jobs[0])`);
      const { errors } = parsePipeline(`jobs: [{name: j, plan: [{task: t, file: x, ${name}: 1}]}]`, {
        format: 'yaml',
      }) as { errors: readonly string[] };
      expect(errors.join()).toContain(`unknown fields ["${name}"]`);
    }
  });

  test('[CFG-PIPE1] drops unknown keys at the top, where anchors are kept', () => {
    const config = read('x: &type {type: git}\nresources: [{<<: *type, name: a}]\njobs: [{name: j, plan: [{get: a}]}]');
    expect(config).not.toHaveProperty('x');
    expect(config.resources).toEqual([{ name: 'a', type: 'git', source: null }]);
  });

  test.each([
    ['resources: [{name: a, sorce: {}}]', 'json: unknown field "sorce" (at resources[0])'],
    ['jobs: [{name: a, pln: []}]', 'json: unknown field "pln" (at jobs[0])'],
    ['display: {image: x}', 'json: unknown field "image" (at display)'],
    ['groups: [{name: a}, {nam: b}]', 'json: unknown field "nam" (at groups[1])'],
  ])('[CFG-PIPE1] refuses %s', (text, message) => {
    expect(malformed(text)).toBe(message);
  });

  test('[CFG-PIPE2] takes null for absent', () => {
    expect(read('groups: ~\nresources:\ndisplay: ~\njobs: [{name: j, serial: ~, ensure: ~, plan: ~}]')).toEqual({
      groups: [],
      var_sources: [],
      resources: [],
      resource_types: [],
      prototypes: [],
      jobs: [{ name: 'j', plan: [] }],
    });
  });

  test('[CFG-PIPE3] takes numbers and booleans for text, but not in steps', () => {
    const config = read(`
resources: [{name: 1a, type: t, webhook_token: 1234, icon: yes, version: {ref: 12, digest: 1.50}}]
jobs: [{name: j, old_name: 7, serial_groups: [1], plan: [{get: 1a}]}]`);
    expect(config.resources[0]).toMatchObject({
      webhook_token: '1234',
      icon: 'true',
      version: { ref: '12', digest: '1.5' },
    });
    expect(config.jobs[0]).toMatchObject({ old_name: '7', serial_groups: ['1'] });
    expect(malformed('jobs: [{name: j, plan: [{get: 1}]}]')).toBe(
      'malformed get step: json: cannot unmarshal number into a field of type string (at jobs[0].plan[0].get)',
    );
  });

  test.each([
    ['[]', 'json: cannot unmarshal array into a field of type object'],
    ['resources: {a: b}', 'json: cannot unmarshal object into a field of type list (at resources)'],
    ['jobs: [{name: [a]}]', 'json: cannot unmarshal array into a field of type string (at jobs[0].name)'],
    ['jobs: [{serial: "x"}]', 'json: cannot unmarshal string into a field of type bool (at jobs[0].serial)'],
    [
      'jobs: [{max_in_flight: 1.5}]',
      'json: cannot unmarshal number 1.5 into a field of type int (at jobs[0].max_in_flight)',
    ],
    ['resources: [{source: 5}]', 'json: cannot unmarshal number into a field of type map (at resources[0].source)'],
    [
      'jobs: [{plan: [{in_parallel: {steps: [{do: [{get: a, trigger: "x"}]}]}}]}]',
      'malformed in_parallel step: failed to unmarshal parallel config: malformed do step: malformed get step: ' +
        'json: cannot unmarshal string into a field of type bool (at jobs[0].plan[0].in_parallel.steps[0].do[0].trigger)',
    ],
    [
      'jobs: [{plan: [{task: t, ensure: {try: {task: u, input_mapping: [a]}}}]}]',
      'malformed ensure step: malformed try step: malformed task step: ' +
        'json: cannot unmarshal array into a field of type map (at jobs[0].plan[0].ensure.try.input_mapping)',
    ],
  ])('[CFG-PIPE4] refuses %s', (text, message) => {
    expect(malformed(text)).toBe(message);
  });

  test.each(['a: [', 'a: 1\na: 2'])('[CFG-PIPE4] refuses text that is not YAML: %j', (text) => {
    const result = parsePipeline(text, { format: 'yaml' });
    expect(result).toMatchObject({ ok: false, reason: 'malformed' });
    expect(result.ok || result.errors[0]).toMatch(/^malformed config: error converting YAML to JSON: yaml: /);
  });

  test('[CFG-PIPE4] reads JSON, and refuses what is none', () => {
    expect(parsePipeline('{"jobs":[{"name":"j","plan":[]}]}', { format: 'json' }).ok).toBe(true);
    expect(parsePipeline('jobs: []', { format: 'json' })).toMatchObject({ ok: false, reason: 'malformed' });
  });

  test('[CFG-PIPE9] refuses a pipeline whose variables repeat a long text, or that is nested too deeply', () => {
    const long = 'x'.repeat(1024 * 1024);
    const pipeline = { jobs: Array.from({ length: 20 }, () => ({ name: 'j', plan: [], old_name: long })) };
    const deep = `{"jobs":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    for (const result of [readPipeline(pipeline), parsePipeline(deep, { format: 'json' })]) {
      expect(result).toMatchObject({ ok: false, reason: 'malformed' });
      expect(result.ok || result.errors[0]).toMatch(/^malformed config: the document /);
    }
  });

  test.each([
    ['never', 'never'],
    ['90s', '1m30s'],
    ['""', ''],
    ['0s', ''],
  ])('[CFG-PIPE5] check_every: %s', (text, kept) => {
    expect(
      read(`resources: [{name: r, type: t, check_every: ${text}}]\njobs: [{name: j, plan: [{put: r}]}]`),
    ).toMatchObject({
      resources: [{ check_every: kept }],
    });
  });

  test('[CFG-PIPE5] refuses text that is not an interval', () => {
    expect(malformed('resources: [{check_every: 5}]')).toBe('non-string value provided (at resources[0].check_every)');
    expect(malformed('resource_types: [{check_every: 5x}]')).toBe(
      'time: unknown unit "x" in duration "5x" (at resource_types[0].check_every)',
    );
  });

  test('[CFG-PIPE7] drops empty tags', () => {
    expect(readStep('{put: r, tags: ["", gpu]}')).toEqual({ kind: 'put', name: 'r', tags: ['gpu'] });
    expect(readStep('{put: r, tags: [""]}')).toEqual({ kind: 'put', name: 'r' });
  });
});

describe('steps', () => {
  test('[CFG-STEP1] wraps modifiers around the core in their order, whatever order they are written in', () => {
    const leaf = (kind: string) => ({ kind: 'load_var', name: kind, file: 'f' });
    const step = readStep(`{do: [], timeout: 1h, attempts: 2, across: [{var: v, values: [1]}], fail_fast: true,
      on_success: {load_var: on_success, file: f}, on_failure: {load_var: on_failure, file: f},
      on_abort: {load_var: on_abort, file: f}, on_error: {load_var: on_error, file: f}, ensure: {load_var: ensure, file: f}}`);
    let expected: unknown = { kind: 'do', steps: [] };
    expected = { kind: 'timeout', duration: '1h', step: expected };
    expected = { kind: 'attempts', attempts: 2, step: expected };
    expected = { kind: 'across', vars: [{ var: 'v', values: [1] }], fail_fast: true, step: expected };
    for (const kind of ['on_success', 'on_failure', 'on_abort', 'on_error', 'ensure']) {
      expected = { kind, step: expected, hook: leaf(kind) };
    }
    expect(step).toEqual(expected);
  });

  test.each(['get: x, resource: r', 'put: r', 'task: t, file: f'])('[CFG-STEP2] timeout is a field of %s', (core) => {
    expect(readStep(`{${core}, timeout: 1h}`)).toMatchObject({ timeout: '1h' });
  });

  test.each(['load_var: v, file: f', 'set_pipeline: p, file: f', 'try: {do: []}', 'do: []', 'in_parallel: []'])(
    '[CFG-STEP2] timeout is a step around %s',
    (core) => {
      expect(readStep(`{${core}, timeout: 1h}`)).toMatchObject({ kind: 'timeout', duration: '1h' });
    },
  );

  test.each([
    ['null', 'no step configured (at jobs[0].plan[0])'],
    ['{}', 'no step configured (at jobs[0].plan[0])'],
    ['{gte: a}', 'no step configured (at jobs[0].plan[0])'],
    ['{ensure: {get: a}}', 'no core step type declared (e.g. get, put, task, etc.) (at jobs[0].plan[0])'],
    ['{timeout: 1h}', 'no core step type declared (e.g. get, put, task, etc.) (at jobs[0].plan[0])'],
    ['{try: ~}', 'malformed try step: no step configured (at jobs[0].plan[0].try)'],
    ['foo', 'json: cannot unmarshal string into a step (at jobs[0].plan[0])'],
  ])('[CFG-STEP4] %s is not a step', (step, message) => {
    expect(malformed(`jobs: [{name: j, plan: [${step}]}]`)).toBe(message);
  });

  test('[CFG-STEP5] in_parallel is a list or an object', () => {
    const steps = [{ kind: 'do', steps: [] }];
    expect(readStep('{in_parallel: [{do: []}]}')).toEqual({ kind: 'in_parallel', steps });
    expect(readStep('{in_parallel: {steps: [{do: []}], limit: 2, fail_fast: yes}}')).toEqual({
      kind: 'in_parallel',
      steps,
      limit: 2,
      fail_fast: true,
    });
    expect(malformed('jobs: [{plan: [{in_parallel: 5}]}]')).toBe(
      'malformed in_parallel step: wrong type for parallel config: 5 (at jobs[0].plan[0].in_parallel)',
    );
  });

  test.each([
    ['latest', 'latest'],
    ['every', 'every'],
    ['nil', ''],
    ['{a: b}', { a: 'b' }],
  ])('[CFG-STEP6] version: %s', (text, version) => {
    expect(readStep(`{get: x, resource: r, version: ${text}}`)).toMatchObject({ version });
  });

  test.each([
    ['all', 'all'],
    ['other', ''],
    ['[]', []],
    ['[" a "]', ['a']],
  ])('[CFG-STEP6] inputs: %s', (text, inputs) => {
    expect(readStep(`{put: r, inputs: ${text}}`)).toMatchObject({ inputs });
  });

  test.each([
    ['{get: a, version: 1}', 'malformed get step: unknown type for version (at jobs[0].plan[0].version)'],
    ['{get: a, version: {v: 1}}', 'malformed get step: the value 1 of v is not a string (at jobs[0].plan[0].version)'],
    ['{put: a, inputs: 1}', 'malformed put step: unknown type for put inputs (at jobs[0].plan[0].inputs)'],
    ['{put: a, inputs: [{a: b}]}', 'malformed put step: non-string put input: map[a:b] (at jobs[0].plan[0].inputs)'],
    ['{across: [{vr: a}], do: []}', 'malformed across step: json: unknown field "vr" (at jobs[0].plan[0].across[0])'],
    [
      '{across: [{var: a, max_in_flight: some}], do: []}',
      'malformed across step: invalid max_in_flight "some" (at jobs[0].plan[0].across[0].max_in_flight)',
    ],
    [
      '{task: t, container_limits: {cpu: x}}',
      'malformed task step: cpu limit must be an integer (at jobs[0].plan[0].container_limits.cpu)',
    ],
    [
      '{task: t, container_limits: {memory: 1T}}',
      'malformed task step: could not parse container memory limit (at jobs[0].plan[0].container_limits.memory)',
    ],
  ])('[CFG-STEP6] refuses %s', (step, message) => {
    expect(malformed(`jobs: [{name: j, plan: [${step}]}]`)).toBe(message);
  });

  test('[CFG-STEP7] makes text of parameters', () => {
    expect(
      readStep(
        '{task: t, file: f, params: {A: 1, B: ~, C: {z: "<", a: [1]}, D: on, E: 1.50, F: 12345678901234567890, G: x}}',
      ),
    ).toMatchObject({
      params: { A: '1', B: '', C: '{"a":[1],"z":"\\u003c"}', D: 'true', E: '1.5', F: '12345678901234567890', G: 'x' },
    });
  });

  test.each([
    ['{cpu: 2.9, memory: 10}', { cpu: 2, memory: 10 }],
    ['{memory: 1kb}', { memory: 1024 }],
    ['{memory: 2MiB}', { memory: 2 * 1024 ** 2 }],
    ['{memory: 3G}', { memory: 3 * 1024 ** 3 }],
    ['{memory: "512"}', { memory: 512 }],
    ['{}', {}],
  ])('[CFG-STEP8] container_limits: %s', (text, limits) => {
    expect(readStep(`{task: t, file: f, container_limits: ${text}}`)).toMatchObject({ container_limits: limits });
  });
});
