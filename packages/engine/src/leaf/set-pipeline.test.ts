import type { Plan, SetPipelinePlan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { BuildInfo, SetPipelineResult } from '../seams.ts';
import { getPlan } from '../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../testing/walk.ts';

const set = { kind: 'set', created: false } as const;

function fixture(step: Partial<SetPipelinePlan>, result: SetPipelineResult | Error, build: Partial<BuildInfo> = {}) {
  const plan: Plan = {
    id: '0',
    do: [getPlan('g', { name: 'repo' }), { id: '1', set_pipeline: { name: 'child', file: 'repo/p.yml', ...step } }],
  };
  const test = testBuild(plan, { repo: { files: { 'p.yml': 'jobs: []', 'v.yml': 'a: 1', 'w.yml': '' } } }, build);
  test.world.pipelines.result = result;
  return test;
}

async function eventsOf(step: Partial<SetPipelinePlan>, result: SetPipelineResult) {
  const { walk, contents } = fixture(step, result);
  const { status } = await walk().outcome;
  return {
    status,
    events: shortEvents(contents.events)
      .filter((event) => event.startsWith('1 '))
      .slice(2),
  };
}

describe('set_pipeline', () => {
  test('[ENG-SET1] sets a pipeline and shows what changed', async () => {
    const step = { instance_vars: { branch: 'main', path: 'a/b' } };
    expect(await eventsOf(step, { ...set, changed: true, diff: '+ jobs\n' })).toEqual({
      status: 'succeeded',
      events: [
        '1 log stdout "+ jobs\\n\\n"', // an empty line follows, as in Concourse
        '1 log stdout "setting pipeline: child/branch:main,path:\\"a/b\\"\\n"',
        '1 set-pipeline-changed {"changed":true}',
        '1 log stdout "done\\n"',
        '1 finish {"succeeded":true}',
      ],
    });
  });

  test('[ENG-SET2] says when nothing changed', async () => {
    expect(await eventsOf({}, { ...set, changed: false, diff: '' })).toEqual({
      status: 'succeeded',
      events: [
        '1 log stdout "no changes to apply.\\n"',
        '1 set-pipeline-changed {"changed":false}',
        '1 finish {"succeeded":true}',
      ],
    });
  });

  test('[ENG-SET3] succeeds with a warning when a newer build was there first', async () => {
    const { status, events } = await eventsOf({}, { kind: 'superseded', diff: '' });
    expect(status).toBe('succeeded');
    expect(events.some((event) => event.includes('already saved by a newer build'))).toBe(true);
    expect(events.some((event) => event.includes('done'))).toBe(false);
  });

  test('[ENG-SET4] fails when the configuration is invalid', async () => {
    expect(await eventsOf({}, { kind: 'invalid', errors: ['one:\n\tx\n', 'two'], warnings: ['old'] })).toEqual({
      status: 'failed',
      events: [
        '1 log stderr "WARNING: old\\n"',
        '1 log stderr "invalid pipeline:\\n- one:\\n\\tx\\n- two\\n"',
        '1 finish {"succeeded":false}',
      ],
    });
  });

  test('[ENG-SET10] fails when the file is not a pipeline at all', async () => {
    expect(await eventsOf({}, { kind: 'malformed', errors: ['malformed config: x'] })).toEqual({
      status: 'failed',
      events: ['1 log stderr "error parsing pipeline:\\n- malformed config: x\\n"', '1 finish {"succeeded":false}'],
    });
  });

  test.each([
    ['a: [', 'yaml: line 1'],
    ['- a', 'the file of variables repo/v.yml is not a map'],
    ['text', 'the file of variables repo/v.yml is not a map'],
  ])('[ENG-SET10] fails when a file of variables is %j', async (text, message) => {
    const { walk, world, contents } = fixture({ var_files: ['repo/v.yml'] }, { ...set, changed: true, diff: '' });
    world.scripts['repo'] = { files: { 'p.yml': 'jobs: []', 'v.yml': text } };
    expect(await walk().outcome).toEqual({ status: 'failed' });
    expect(shortEvents(contents.events).at(-2)).toContain(`1 log stderr "error parsing pipeline:\\n- ${message}`);
    expect(world.pipelines.requests.size).toBe(0);
  });

  test.each([
    [{ name: 'a/b' }, "pipeline name cannot contain '/'"],
    [{ team: '((team))' }, "team name cannot contain '/'"],
  ])('[ENG-SET5] errors for a name with a slash: %j', async (step, message) => {
    const { walk, world, contents } = fixture(step, { ...set, changed: true, diff: '' });
    world.variables['team'] = 'a/b';
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe(message);
  });

  test('[ENG-SET1] shows a long change in several events, of whole lines', async () => {
    const line = 'x'.repeat(10_000);
    const diff = Array.from({ length: 13 }, (_, index) => `${index} ${line}`).join('\n');
    const { walk, contents } = fixture({}, { ...set, changed: true, diff });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    const shown = contents.events.flatMap(({ event, data }) =>
      event === 'log' && data.origin.id === '1' ? [data.payload] : [],
    );
    expect(shown.map((text) => text.split('\n').length - 1)).toEqual([6, 6, 1, 1, 1]);
    expect(shown.slice(0, 3).join('')).toBe(`${diff}\n`);
  });

  test('[ENG-RED8] redacts what it shows', async () => {
    const { walk, world, contents } = fixture(
      { vars: { name: '((secret))' } },
      { ...set, changed: true, diff: '+ hunter2', warnings: ["'hunter2' is not a valid identifier"] },
    );
    world.variables['secret'] = 'hunter2';
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(JSON.stringify(contents.events)).not.toContain('hunter2');
    expect(shortEvents(contents.events)).toContain('1 log stdout "+ ((redacted))\\n"');
  });

  test('[ENG-SET5] errors when it may not', async () => {
    const { walk, contents } = fixture({ team: 'other' }, new Error("only main team can set another team's pipeline"));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe("only main team can set another team's pipeline");
  });

  test('[ENG-SET6] gives what the file and its variables say; the first that has one wins', async () => {
    const step = {
      team: '((team))',
      vars: { b: '((b))' },
      var_files: ['repo/v.yml', 'repo/w.yml'],
      instance_vars: { c: 3 },
    };
    const { walk, world } = fixture(step, { ...set, changed: true, diff: '' });
    world.variables['team'] = 'ops';
    world.variables['b'] = 2;
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.pipelines.requests.get('1')).toEqual({
      planId: '1',
      name: 'child',
      team: 'ops',
      instanceVars: { c: 3 },
      configText: 'jobs: []',
      vars: [{ c: 3 }, { b: 2 }, { a: 1 }, {}],
    });
  });

  test('[ENG-SET6] takes its name as written', async () => {
    const { walk, world } = fixture({ name: 'p-((secret))' }, { ...set, changed: true, diff: '' });
    world.variables['secret'] = 'hunter2';
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.pipelines.requests.get('1')?.name).toBe('p-((secret))');
    expect(world.lookups).toEqual([]);
  });

  test('[ENG-SET7] means its own pipeline by `self`', async () => {
    const build = { pipelineName: 'mine', pipelineInstanceVars: { branch: 'x' } };
    const { walk, world } = fixture({ name: 'self', team: 'other' }, { ...set, changed: true, diff: '' }, build);
    await walk().outcome;
    expect(world.pipelines.requests.get('1')).toEqual({
      planId: '1',
      name: 'mine',
      instanceVars: { branch: 'x' },
      configText: 'jobs: []',
      vars: [{ branch: 'x' }, {}],
    });
  });

  test.each([
    ['p.yml', "config path 'p.yml' does not specify where the file lives"],
    ['repo/q.yml', "file 'q.yml' not found within artifact 'repo'"],
    ['', 'file is not specified'],
  ])('[ENG-SET8] errors for the file %j', async (file, message) => {
    const { walk, contents } = fixture({ file }, { ...set, changed: true, diff: '' });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe(message);
  });

  test.each([
    [
      { 'p.yml': `#${'x'.repeat(4 * 1024 * 1024)}` },
      'p.yml is larger than the limit of 4194304 bytes: it has 4194305 bytes',
    ],
    [
      { 'p.yml': 'jobs: []', 'v.yml': `#${'x'.repeat(1024 * 1024)}` },
      'v.yml is larger than the limit of 1048576 bytes: it has 1048577 bytes',
    ],
  ])('[ENG-SET9] errors for a file that is too large', async (files, message) => {
    const { walk, world, contents } = fixture({ var_files: ['repo/v.yml'] }, { ...set, changed: true, diff: '' });
    world.scripts['repo'] = { files };
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe(message);
  });
});
