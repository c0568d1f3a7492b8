import { describe, expect, test } from 'vitest';
import type { JobConfig } from '../pipeline/pipeline.ts';
import { parsePipeline } from '../testing/parse-pipeline.ts';
import { findCycle } from './validate-jobs.ts';

const EMPTY = { groups: [], var_sources: [], resources: [], resource_types: [], prototypes: [] };

function parse(text: string) {
  return parsePipeline(text, { format: 'yaml' });
}

/** All lines of all sections, without headings. */
function errors(text: string): string[] {
  const result = parse(text);
  if (result.ok || result.reason !== 'invalid') throw new Error('it is not just invalid');
  return result.errors.flatMap((section) => section.split('\n').slice(1, -1)).map((line) => line.replace(/^\t/, ''));
}

function warnings(text: string): readonly { readonly type: string; readonly message: string }[] {
  return parse(text).warnings;
}

/** A pipeline whose job `j` has the given steps, with resources `r` and `s` that others use. */
function withSteps(...steps: string[]): string {
  return `
resources: [{name: r, type: t}, {name: s, type: t}]
prototypes: [{name: p, type: t}]
jobs: [{name: j, plan: [${steps.join(', ')}]}, {name: up, plan: [{put: r}, {put: s}]}, {name: only-r, plan: [{get: r}]}]`;
}

const job = 'jobs: [{name: j, plan: []}]';

test('[CFG-VALID1] gives one text for each section', () => {
  expect(parse('groups: [{name: g, jobs: [x, z]}]\nresources: [{name: a}]')).toEqual({
    ok: false,
    reason: 'invalid',
    errors: [
      "invalid groups:\n\tno jobs match 'x' for group 'g'\n\tno jobs match 'z' for group 'g'\n",
      "invalid resources:\n\tresources.a has no type\n\tresource 'a' is not used\n",
      'invalid jobs:\n\tjobs: pipeline must contain at least one job\n',
    ],
    warnings: [],
  });
});

describe('names', () => {
  test.each([
    ['Upper', 'must start with a lowercase letter or a number'],
    ['_a', 'must start with a lowercase letter or a number'],
    ['a b', "illegal character ' '"],
    ['123', 'cannot be just numbers'],
  ])('[CFG-VALID2] warns of %s', (name, reason) => {
    expect(warnings(`jobs: [{name: "${name}", plan: []}]`)).toEqual([
      { type: 'invalid_identifier', message: `jobs.${name}: '${name}' is not a valid identifier: ${reason}` },
    ]);
  });

  test.each(['a', '1a', 'été', 'a-b_c.d', '構築'])('[CFG-VALID2] is content with %s', (name) => {
    expect(warnings(`jobs: [{name: ${name}, plan: []}]`)).toEqual([]);
  });

  test('[CFG-VALID2] refuses no name', () => {
    expect(errors('jobs: [{plan: []}]')).toEqual([
      'jobs[0]: identifier cannot be an empty string',
      'jobs[0] has no name',
    ]);
    expect(errors(withSteps('{load_var: "", file: f}'))).toEqual([
      'jobs.j.plan.do[0].load_var(): jobs.j.plan.do[0].load_var(): identifier cannot be an empty string',
    ]);
  });

  test('[CFG-VALID2] leaves names under across to their variables', () => {
    const across = 'across: [{var: v, values: [1]}]';
    expect(warnings(withSteps(`{${across}, task: T, file: f}`, `{${across}, set_pipeline: P, file: f}`))).toEqual([]);
    expect(warnings(withSteps(`{${across}, try: {task: T, file: f}}`))).toHaveLength(1);
  });

  test('[CFG-VALID2] wants a proper message for a prototype', () => {
    expect(errors(withSteps('{run: Go, type: p}', '{run: go, type: q}'))).toEqual([
      "jobs.j.plan.do[0].run(p.Go): jobs.j.plan.do[0].run(p.Go): 'Go' is not a valid identifier: must start with a lowercase letter or a number",
      "jobs.j.plan.do[1].run(q.go): unknown prototype 'q'",
    ]);
  });

  test('[CFG-VALID3] refuses a name used twice', () => {
    expect(
      errors(
        `resources: [{name: a, type: t}, {name: b, type: t}, {name: a, type: t}]\njobs: [{name: j, plan: [{get: a}, {get: b}]}]`,
      ),
    ).toEqual(["resources[0] and resources[2] have the same name ('a')"]);
    expect(errors(`resource_types: [{name: a, type: t}]\nprototypes: [{name: a, type: ""}]\n${job}`)).toEqual([
      "resource_types[0] and prototypes[0] have the same name ('a')",
      'prototypes.a has no type',
    ]);
    expect(errors('jobs: [{name: j, plan: []}, {name: j, plan: []}]')).toEqual([
      "jobs[0] and jobs[1] have the same name ('j')",
    ]);
  });
});

describe('resources and groups', () => {
  test('[CFG-VALID4] finds uses in hooks and under modifiers', () => {
    const deep = '{do: [], on_failure: {try: {in_parallel: [{attempts: 2, across: [{var: v, values: []}], put: a}]}}}';
    expect(parse(`resources: [{name: a, type: t}]\njobs: [{name: j, plan: [], ensure: ${deep}}]`).ok).toBe(true);
    expect(errors(`resources: [{name: a, type: t}]\n${job}`)).toEqual(["resource 'a' is not used"]);
  });

  test('[CFG-VALID5] checks groups', () => {
    const jobs =
      'jobs: [{name: unit-a, plan: []}, {name: unit-b, plan: []}, {name: ship, plan: []}, {name: lost, plan: []}]';
    expect(
      errors(
        `groups: [{name: g, jobs: ["unit-{a,b}", "[", "x*"], resources: [r]}, {name: g, jobs: ["sh?p"]}]\n${jobs}`,
      ),
    ).toEqual([
      "invalid glob expression '[' for group 'g'",
      "no jobs match 'x*' for group 'g'",
      "group 'g' has unknown resource 'r'",
      "group 'g' appears 2 times. Duplicate names are not allowed.",
      "job 'lost' belongs to no group",
    ]);
    expect(parse(`groups: [{name: g, jobs: ["*"]}]\n${jobs}`).ok).toBe(true);
  });
});

describe('steps', () => {
  test('[CFG-STEP3] reports unknown fields', () => {
    expect(
      errors(
        withSteps(
          '{get: r, put: s}',
          '{put: r, zz: 1, foo: 2, ensure: {do: [], bar: 1}}',
          '{task: t, file: f, fail_fast: true}',
        ),
      ),
    ).toEqual([
      'jobs.j.plan.do[0]: unknown fields ["get"]',
      'jobs.j.plan.do[1]: unknown fields ["foo" "zz"]',
      'jobs.j.plan.do[1].ensure: unknown fields ["bar"]',
      'jobs.j.plan.do[2]: unknown fields ["fail_fast"]',
    ]);
  });

  test('[CFG-VALID6] checks gets and puts', () => {
    expect(
      errors(
        withSteps(
          '{get: r}',
          '{get: r}',
          '{get: x}',
          '{put: x}',
          '{get: q, resource: s, passed: [up, only-r, nope, "z*"]}',
        ),
      ),
    ).toEqual([
      'jobs.j.plan.do[1].get(r): repeated name',
      "jobs.j.plan.do[2].get(x): unknown resource 'x'",
      "jobs.j.plan.do[3].put(x): unknown resource 'x'",
      "jobs.j.plan.do[4].get(q).passed: job 'only-r' does not interact with resource 's'",
      "jobs.j.plan.do[4].get(q).passed: no matching job(s) for 'nope'",
      "jobs.j.plan.do[4].get(q).passed: no matching job(s) for 'z*'",
    ]);
    expect(parse(withSteps('{get: r, passed: ["o*", up]}')).ok).toBe(true);
  });

  test('[CFG-VALID7] follows passed through any number of jobs', () => {
    const count = 20_000;
    const job = (index: number, passed: string[]): JobConfig => {
      return { name: `j${index}`, plan: [{ kind: 'get', name: 'r', passed }] };
    };
    const chain = Array.from({ length: count }, (_, index) => job(index, [`j${index + 1}`]));
    const cycleOf = (...jobs: JobConfig[]) => findCycle({ ...EMPTY, jobs });
    expect(cycleOf(...chain, job(count, []))).toEqual([]);
    expect(cycleOf(...chain, job(count, ['j0']))).toEqual(["pipeline contains a cycle that starts at Job 'j0'"]);
  });

  test('[CFG-VALID7] refuses jobs that wait for each other', () => {
    const wait = (name: string, passed: string) => `{name: ${name}, plan: [{get: r, passed: [${passed}]}]}`;
    const text = (...jobs: string[]) =>
      `resources: [{name: r, type: t}]\njobs: [{name: start, plan: [{get: r}]}, ${jobs.join(', ')}]`;
    expect(parse(text(wait('a', 'start'), wait('b', 'start, a'), wait('c', 'b, a'))).ok).toBe(true);
    expect(errors(text(wait('a', 'start, c'), wait('b', 'a'), wait('c', '"b*"')))).toEqual([
      "pipeline contains a cycle that starts at Job 'a'",
    ]);
    expect(errors(text(wait('a', 'a')))).toEqual(["pipeline contains a cycle that starts at Job 'a'"]);
  });

  test('[CFG-VALID8] checks tasks', () => {
    expect(
      errors(
        withSteps(
          '{task: a}',
          '{task: b, file: f, config: {platform: linux, run: {path: x}}}',
          '{task: c, config: {run: {path: x}, inputs: [{}], ouputs: []}}',
        ),
      ),
    ).toEqual([
      'jobs.j.plan.do[0].task(a): must specify either `file:` or `config:`',
      'jobs.j.plan.do[1].task(b): must specify one of `file:` or `config:`, not both',
      'jobs.j.plan.do[2].task(c).config: unknown fields ["ouputs"]',
      "jobs.j.plan.do[2].task(c).config: missing 'platform'",
      'jobs.j.plan.do[2].task(c).config:   input in position 0 is missing a name',
    ]);
    expect(
      warnings(withSteps('{task: t, image: i, hermetic: true, config: {platform: linux, rootfs_uri: u}}')).map(
        ({ message }) => message,
      ),
    ).toEqual([
      'jobs.j.plan.do[0].task(t): specifies image: on the step but also specifies an image under config: - the image: on the step takes precedence',
      'jobs.j.plan.do[0].task(t): specifies `hermetic:` only works against worker containerd runtime',
    ]);
  });

  test('[CFG-VALID9] checks files and local variables', () => {
    expect(errors(withSteps('{set_pipeline: p}', '{load_var: v}', '{try: {load_var: v, file: f}}'))).toEqual([
      'jobs.j.plan.do[0].set_pipeline(p): no file specified',
      'jobs.j.plan.do[1].load_var(v): no file specified',
      'jobs.j.plan.do[2].try.load_var(v): repeated var name',
    ]);
    const across = '{across: [{var: v, values: [1]}], do: [{load_var: w, file: f}]}';
    expect(warnings(withSteps('{load_var: v, file: f}', across, across))).toEqual([
      { type: 'var_shadowed', message: "jobs.j.plan.do[1].across[0]: shadows local var 'v'" },
      { type: 'var_shadowed', message: "jobs.j.plan.do[2].across[0]: shadows local var 'v'" },
    ]);
    expect(errors(withSteps('{across: [{var: v, values: [1]}, {var: v, values: [1]}], do: []}'))).toEqual([
      'jobs.j.plan.do[0].across[1]: repeated var name',
    ]);
  });

  test('[CFG-VALID10] checks across, attempts and timeout', () => {
    expect(
      errors(
        withSteps(
          '{across: [], do: []}',
          '{across: [{var: v, values: [], max_in_flight: 0}], do: []}',
          '{attempts: 0, timeout: 5 minutes, do: []}',
        ),
      ),
    ).toEqual([
      'jobs.j.plan.do[0].across: no vars specified',
      'jobs.j.plan.do[1].across[0].max_in_flight: must be greater than 0',
      "jobs.j.plan.do[2].timeout: invalid duration '5 minutes'",
      'jobs.j.plan.do[2].attempts: must be greater than 0',
    ]);
  });

  test('[CFG-VALID10] says where in the job a step is', () => {
    const bad = '{put: x}';
    expect(
      errors(`jobs: [{name: j, plan: [{in_parallel: [${bad}]}, {do: [${bad}], on_abort: ${bad}}], on_error: ${bad}}]`),
    ).toEqual([
      "jobs.j.plan.do[0].in_parallel.steps[0].put(x): unknown resource 'x'",
      "jobs.j.plan.do[1].do[0].put(x): unknown resource 'x'",
      "jobs.j.plan.do[1].on_abort.put(x): unknown resource 'x'",
      "jobs.j.plan.on_error.put(x): unknown resource 'x'",
    ]);
  });
});

describe('the rest', () => {
  test('[CFG-VALID11] checks the retention of build logs', () => {
    expect(
      errors(
        'jobs: [{name: j, plan: [], build_log_retention: {builds: -1, days: -2, minimum_succeeded_builds: -3}}, {name: k, plan: [], build_logs_to_retain: -4}]',
      ),
    ).toEqual([
      'jobs.j has negative build_log_retention.builds: -1',
      'jobs.j has negative build_log_retention.days: -2',
      'jobs.j has negative build_log_retention.min_success_builds: -3',
      'jobs.k has negative build_logs_to_retain: -4',
    ]);
    const both =
      'jobs: [{name: j, plan: [], build_logs_to_retain: 1, build_log_retention: {builds: 1, minimum_succeeded_builds: 2}}]';
    expect(errors(both)).toEqual([
      "jobs.j can't use both build_log_retention and build_logs_to_retain",
      'jobs.j has build_log_retention.min_success_builds: 2 greater than build_log_retention.min_success_builds: 1',
    ]);
    expect(warnings(both)).toEqual([
      {
        type: 'deprecated_field',
        message: 'jobs.j.build_logs_to_retain is deprecated. Use build_log_retention instead.',
      },
    ]);
  });

  test.each([
    ['{type: nope}', 'unknown credential manager type: nope'],
    ['{type: kubernetes}', 'credential manager type kubernetes is not supported in pipeline yet'],
    ['{type: dummy}', 'failed to create credential manager v: invalid dummy credential manager config: <nil>'],
    [
      '{type: dummy, config: {vars: [1]}}',
      'failed to create credential manager v: invalid vars config: []interface {}',
    ],
    [
      '{type: vault, config: {url: "http://v"}}',
      'credential manager v is invalid: must configure client token or auth backend',
    ],
    [
      '{type: vault, config: {client_token: t, path_prefix: ""}}',
      'credential manager v is invalid: path prefix must be a non-empty string',
    ],
    ['{type: ssm, config: {access_key: k}}', 'credential manager v is invalid: must provide aws secret access key'],
    [
      '{type: secretsmanager, config: {team_secret_template: "{{.Team"}}',
      'credential manager v is invalid: template: team-secret-template:1: unclosed action',
    ],
    [
      '{type: idtoken, config: {aud: x}}',
      'failed to create credential manager v: invalid idtoken provider config: unknown setting: aud',
    ],
    [
      '{type: idtoken, config: {subject_scope: all}}',
      'credential manager v is invalid: invalid subject_scope value: all',
    ],
    ['{type: idtoken, config: {expires_in: 25h}}', 'credential manager v is invalid: expires_in must be <= 24h0m0s'],
  ])('[CFG-VALID12] refuses the var source %s', (source, message) => {
    expect(errors(`var_sources: [{name: v, ${source.slice(1)}]\n${job}`)).toEqual([message]);
  });

  test('[CFG-VALID12] takes each field of vault', () => {
    const config = '{url: "http://v", client_token: t, enable_kv_mount_cache: true}';
    expect(parse(`var_sources: [{name: v, type: vault, config: ${config}}]\n${job}`).ok).toBe(true);
  });

  test('[CFG-VALID12] refuses var sources that need each other', () => {
    const source = (name: string, value: string) => `{name: ${name}, type: dummy, config: {vars: {x: "${value}"}}}`;
    expect(parse(`var_sources: [${source('a', '((b:x))')}, ${source('b', 'y')}]\n${job}`).ok).toBe(true);
    expect(errors(`var_sources: [${source('a', '((b:x))')}, ${source('b', '((a:x))')}]\n${job}`)).toEqual([
      'failed to order by dependency: could not resolve inter-dependent var sources: a, b',
    ]);
    expect(errors(`var_sources: [${source('a', 'x')}, ${source('a', 'x')}]\n${job}`)).toEqual([
      "var_sources[0] and var_sources[1] have the same name ('a')",
    ]);
  });

  test.each([
    ['https://x/y.png', []],
    ['/y.png', []],
    ['javascript:alert(1)', ['background_image scheme must be either http, https or relative']],
    ['a b:c', ['background_image is not a valid URL: a b:c']],
    ['%zz', ['background_image is not a valid URL: %zz']],
  ])('[CFG-VALID13] background image %s', (image, expected) => {
    const result = parse(`display: {background_image: "${image}"}\n${job}`);
    expect(result.ok ? [] : errors(`display: {background_image: "${image}"}\n${job}`)).toEqual(expected);
  });

  test('[CFG-VALID14] wants a job', () => {
    expect(errors('')).toEqual(['jobs: pipeline must contain at least one job']);
  });
});
