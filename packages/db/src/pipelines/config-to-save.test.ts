import { type PipelineConfig, parseYaml, readPipeline } from '@seaplane/config';
import { expect, test } from 'vitest';
import { configToSave } from './config-to-save.ts';

function parse(text: string): PipelineConfig {
  const result = readPipeline(parseYaml(text));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.config;
}

const task = '{ platform: linux, rootfs_uri: x, run: { path: ls } }';

test('[DB-SAVE1] a job’s gets, puts and tasks are found wherever they are', () => {
  const { jobs } = configToSave(
    parse(`
      resources: [{ name: r, type: t }, { name: s, type: t }]
      jobs:
      - name: up
        plan: [{ get: r }]
      - name: down
        plan:
        - in_parallel:
          - { get: a, resource: r, passed: ['u*'], trigger: true, version: every }
          - try: { task: first, config: ${task} }
        - do: [{ put: s, on_failure: { task: second, config: ${task} } }]
        ensure: { task: third, config: ${task}, attempts: 2 }
    `),
  );
  expect(jobs[1]).toMatchObject({
    name: 'down',
    inputs: [{ name: 'a', resource: 'r', passed: ['up'], trigger: true, version: 'every' }],
    outputs: [{ name: 's', resource: 's' }],
    tasks: ['first', 'second', 'third'],
  });
});

test('[DB-SAVE2] a limited job without groups is a group of its own; groups allow one at a time', () => {
  const { jobs } = configToSave(
    parse(`
      jobs:
      - { name: free, plan: [] }
      - { name: serial, serial: true, plan: [] }
      - { name: limited, max_in_flight: 3, plan: [] }
      - { name: grouped, serial_groups: [g, h], max_in_flight: 3, plan: [] }
    `),
  );
  expect(jobs.map(({ maxInFlight, serialGroups }) => ({ maxInFlight, serialGroups }))).toEqual([
    { maxInFlight: 0, serialGroups: [] },
    { maxInFlight: 1, serialGroups: ['serial'] },
    { maxInFlight: 3, serialGroups: ['limited'] },
    { maxInFlight: 1, serialGroups: ['g', 'h'] },
  ]);
});

test('[DB-SAVE4] a job says which logs are kept; the older `build_logs_to_retain` counts as `builds`', () => {
  const { jobs } = configToSave(
    parse(`
      jobs:
      - { name: all, plan: [] }
      - { name: some, plan: [], build_log_retention: { days: 3, minimum_succeeded_builds: 1, builds: 2 } }
      - { name: older, plan: [], build_logs_to_retain: 1 }
    `),
  );
  expect(jobs.map(({ logRetention }) => logRetention)).toEqual([
    undefined,
    { days: 3, minimum_succeeded_builds: 1, builds: 2 },
    { builds: 1 },
  ]);
});

test('[DB-SAVE3] groups are named by patterns, and shown with what else everybody sees', () => {
  const { jobs, shown } = configToSave(
    parse(`
      groups: [{ name: all, jobs: ['*'] }, { name: some, jobs: [a-1] }]
      display: { background_image: 'https://example.com/x.png' }
      jobs: [{ name: a-1, plan: [] }, { name: b, plan: [] }]
    `),
  );
  expect(jobs.map(({ groups }) => groups)).toEqual([['all', 'some'], ['all']]);
  expect(Object.keys(shown)).toEqual(['groups', 'display']);
});

test('[DB-SAVE5] flags, pins, old names and types', () => {
  const saved = configToSave(
    parse(`
      resource_types: [{ name: t, type: base, source: { a: 1 } }]
      resources: [{ name: r, old_name: q, type: t, public: true, version: { ref: x } }]
      jobs: [{ name: j, old_name: i, public: true, interruptible: true, disable_manual_trigger: true, plan: [{ get: r }] }]
    `),
  );
  expect(saved.resourceTypes).toEqual([
    { name: 't', type: 'base', config: { name: 't', type: 'base', source: { a: 1 } } },
  ]);
  expect(saved.resources[0]).toMatchObject({ name: 'r', oldName: 'q', public: true, pin: { ref: 'x' } });
  expect(saved.jobs[0]).toMatchObject({
    name: 'j',
    oldName: 'i',
    public: true,
    interruptible: true,
    disableManualTrigger: true,
    disableReruns: false,
  });
});
