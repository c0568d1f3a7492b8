import { type Plan, parseYaml, readPipeline } from '@seaplane/config';
import { expect, test } from 'vitest';
import { planRun, type RunPlanRequest } from './plan-run.ts';

const TASK = '{ platform: linux, run: { path: sh } }';

function plan(yaml: string, change: Partial<RunPlanRequest> = {}) {
  const resources = `
resource_types:
- { name: custom, type: registry-image, source: { repository: r }, tags: [type-tag] }
resources:
- { name: repo, type: git, source: { uri: u }, tags: [resource-tag] }
- { name: pinned, type: git, source: { uri: u }, version: { ref: pin } }
- { name: own, type: custom, source: {} }
`;
  // Every resource must be used by some job.
  const all = '- name: all\n  plan: [{ get: repo }, { get: pinned }, { get: own }]\n';
  const result = readPipeline(parseYaml(`${resources}\njobs:\n- name: unit\n  plan:\n${yaml}${all}`));
  if (!result.ok) throw new Error(result.errors.join());
  const [job] = result.config.jobs;
  if (!job) throw new Error('no job');
  return planRun({ pipeline: result.config, job, uploads: new Map(), outputs: [], put: false, ...change });
}

/** The plan without what is not asked about: kinds and ids, and versions of gets. */
function outline(plan: Plan): unknown {
  if ('do' in plan) return plan.do.map(outline);
  if ('get' in plan) return `get ${plan.id} ${JSON.stringify(plan.get.version ?? plan.get.version_from)}`;
  if ('check' in plan) return `check ${plan.id} ${plan.check.resource ?? ''}`;
  if ('task' in plan) return `task ${plan.task.name}`;
  if ('put' in plan) return `put ${plan.put.name}`;
  if ('artifact_input' in plan) return `upload ${plan.artifact_input.artifact_id} as ${plan.artifact_input.name}`;
  if ('on_success' in plan) return { first: outline(plan.on_success.step), next: outline(plan.on_success.on_success) };
  if ('ensure' in plan) return { ensure: outline(plan.ensure.step), next: outline(plan.ensure.ensure) };
  if ('try' in plan) return { try: outline(plan.try.step) };
  if ('artifact_output' in plan) return `publish ${plan.artifact_output.name}`;
  if ('across' in plan) return { across: outline(JSON.parse(plan.across.substep_template)) };
  return Object.keys(plan);
}

test('[RUN4] a get is a check and a get of the version that it finds', () => {
  expect(outline(plan('  - { get: src, resource: repo }\n  - { get: pinned }\n').plan)).toEqual([
    ['check 1/check repo', 'get 1 "1/check"'],
    'get 2 {"ref":"pin"}',
  ]);
  expect(outline(plan('  - { get: repo, version: { ref: x } }\n').plan)).toEqual(['get 1 {"ref":"x"}']);
});

test('[RUN4] the check of a custom type fetches its image in steps of its own', () => {
  const { plan: made } = plan('  - get: own\n');
  const ids = JSON.stringify(made).match(/"(?:id|version_from)":"[^"]+"/g);
  expect(ids).toContain('"id":"1/check/image-check"');
  expect(ids).toContain('"version_from":"1/check/image-check"');
  expect(ids).toContain('"id":"1/image-check"');
  const all = ids?.filter((id) => id.startsWith('"id"')) ?? [];
  expect(new Set(all).size).toBe(all.length);
});

test('[RUN4] an upload replaces the get of its name, pinned or not, also in an across', () => {
  const uploads = new Map([
    ['repo', 7],
    ['pinned', 8],
  ]);
  const yaml = '  - { get: repo }\n  - { get: pinned, across: [{ var: x, values: [1] }] }\n';
  expect(outline(plan(yaml, { uploads }).plan)).toEqual(['upload 7 as repo', { across: 'upload 8 as pinned' }]);
  expect(outline(plan('  - { get: repo, across: [{ var: x, values: [1] }] }\n').plan)).toEqual([
    { across: ['check 1/check repo', 'get 1 "1/check"'] },
  ]);
});

test('[RUN5] puts are skipped, unless they are asked for', () => {
  const yaml = `  - { put: repo }\n  - { put: again, resource: repo, no_get: true }\n  - { set_pipeline: self, file: x/y }\n`;
  const skipped = plan(yaml);
  expect(skipped.skipped).toEqual(['put repo', 'put again', 'set_pipeline self']);
  expect(outline(skipped.plan)).toEqual([[], [], []]);
  const run = plan(yaml, { put: true });
  expect(run.skipped).toEqual(['set_pipeline self']);
  expect(outline(run.plan)).toEqual([{ first: 'put repo', next: 'get 2 "1"' }, 'put again', []]);
  expect(outline(plan('  - { put: repo }\n', { uploads: new Map([['repo', 3]]) }).plan)).toEqual(['upload 3 as repo']);
});

test('[RUN6] no step, check, image or type has tags', () => {
  const yaml = `  - { get: own, tags: [a] }\n  - { get: repo }\n  - { task: t, tags: [b], config: ${TASK} }\n  - { put: repo, tags: [c] }\n`;
  expect(JSON.stringify(plan(yaml, { put: true }).plan)).not.toContain('"tags"');
});

test('[RUN7] outputs are published however the job ends', () => {
  const { plan: made } = plan(`  - { task: t, config: ${TASK} }\n`, { outputs: ['bin', 'log'] });
  expect(outline(made)).toEqual({ ensure: ['task t'], next: [{ try: 'publish bin' }, { try: 'publish log' }] });
});
