import fc from 'fast-check';
import type { JsonObject } from '../values.ts';

const name = fc.constantFrom('build', 'unit', 'deploy', 'été', 'x_1.2');
const params = fc.constantFrom<JsonObject>({}, { a: 1 }, { 'a-((b))': { c: ['((d))', null, 1.5] } });
const tags = fc.constantFrom([], [''], ['gpu'], ['gpu', 'eu']);
const limits = fc.constantFrom({}, { cpu: 512 }, { cpu: 1, memory: '1GB' });
const taskConfig = fc.record(
  {
    platform: fc.constant('linux'),
    run: fc.constantFrom({ path: 'make' }, { path: 'sh', args: ['-c', ''], dir: 'd', user: 'root' }),
    image_resource: fc.constantFrom({ type: 'mock' }, { type: 'custom', source: {}, version: { v: '1' } }),
    params,
    inputs: fc.constantFrom([], [{ name: 'a' }, { name: 'b', path: '.', optional: true }]),
    caches: fc.constantFrom([], [{ path: 'c', ttl: '1h' }]),
    container_limits: limits,
  },
  { requiredKeys: ['platform'] },
);

// Names of gets and of local variables are unique in a job; `withNames` assigns them.
const unique = fc.constant('?');
const resource = fc.constantFrom('a', 'b');

const { step } = fc.letrec<{ step: JsonObject }>((tie) => {
  const steps = fc.array(tie('step'), { maxLength: 2 });
  const core = fc.oneof(
    { depthSize: 'small', depthIdentifier: 'step' },
    fc.record(
      {
        get: unique,
        resource,
        version: fc.constantFrom('latest', 'every', 'nil', { v: '1' }),
        trigger: fc.boolean(),
        params,
        tags,
        timeout: fc.constant('5m'),
      },
      { requiredKeys: ['get', 'resource'] },
    ),
    fc.record(
      {
        put: resource,
        inputs: fc.constantFrom('all', 'x', [], ['a ']),
        params,
        get_params: params,
        no_get: fc.boolean(),
        tags,
      },
      { requiredKeys: ['put'] },
    ),
    fc.record(
      {
        task: name,
        config: taskConfig,
        params,
        vars: params,
        privileged: fc.boolean(),
        container_limits: limits,
        tags,
      },
      { requiredKeys: ['task', 'config'] },
    ),
    fc.record({ load_var: unique, file: fc.constant('a/v'), reveal: fc.boolean() }),
    fc.record({ set_pipeline: name, file: fc.constant('a/p'), instance_vars: params, var_files: tags }),
    steps.map((all) => ({ do: all })),
    tie('step').map((inner) => ({ try: inner })),
    steps.map((all) => ({ in_parallel: all })),
    fc.record({ steps, limit: fc.nat(2), fail_fast: fc.boolean() }).map((config) => ({ in_parallel: config })),
  );
  const modifier = fc.oneof(
    { depthSize: 'small', depthIdentifier: 'step' },
    fc.constant({}),
    fc.integer({ min: 1, max: 3 }).map((attempts) => ({ attempts })),
    unique.map((name) => ({ across: [{ var: name, values: [1, 'x'], max_in_flight: 'all' }], fail_fast: true })),
    ...(['ensure', 'on_success', 'on_failure', 'on_abort', 'on_error'] as const).map((hook) =>
      tie('step').map((inner) => ({ [hook]: inner })),
    ),
  );
  return {
    step: fc
      .tuple(modifier, modifier, core)
      .map(([outer, inner, own]) => ({ ...outer, ...inner, ...own }) as JsonObject),
  };
});

/** Valid pipelines with every kind of step, as a user could have written them. */
export const randomPipeline: fc.Arbitrary<JsonObject> = fc
  .record({
    plan: fc.array(step, { maxLength: 3 }),
    hook: fc.option(step, { nil: undefined }),
    types: fc.constantFrom(
      [],
      [
        { name: 'custom', type: 'mock', source: { s: 1 }, defaults: { d: 1 }, check_every: '90s' },
        { name: 'mock', type: 'mock', privileged: true },
      ],
    ),
    job: fc.record({ serial: fc.boolean(), public: fc.boolean(), max_in_flight: fc.nat(3) }, { requiredKeys: [] }),
  })
  .map(({ plan, hook, types, job }) =>
    withNames({
      resources: [
        { name: 'a', type: 'mock', source: { n: 1 }, check_every: 'never', tags: [''] },
        { name: 'b', type: 'custom' },
      ],
      resource_types: types,
      jobs: [
        { name: 'main', ...job, plan, ...(hook !== undefined && { ensure: hook }) },
        { name: 'both', plan: [{ put: 'a' }, { put: 'b' }] },
      ],
    }),
  );

function withNames(pipeline: JsonObject): JsonObject {
  let given = 0;
  return JSON.parse(JSON.stringify(pipeline).replaceAll('"?"', () => `"n${given++}"`));
}
