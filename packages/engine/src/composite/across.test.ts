import type { AcrossPlan, Plan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { TaskRequest } from '../seams.ts';
import { quiet } from '../testing/manual-clock.ts';
import type { Script } from '../testing/memory-world.ts';
import { getPlan, putPlan, taskPlan } from '../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../testing/walk.ts';

const config = { platform: 'linux', rootfs_uri: 'x', run: { path: 'echo', args: ['((.:x))', '((.:y))', '((other))'] } };

function acrossPlan(vars: AcrossPlan['vars'], step: Plan, fail_fast = false): Plan {
  return { id: '1', across: { vars, substep_template: JSON.stringify(step), fail_fast } };
}

const named: Plan = taskPlan('9', { name: 't-((.:x))' });

function tasks(vars: AcrossPlan['vars'], scripts: Record<string, Script> = {}, failFast = false) {
  return testBuild(acrossPlan(vars, named, failFast), scripts);
}

describe('across', () => {
  test('[ENG-ACR1] runs every combination in order, one after another', async () => {
    const plan = acrossPlan(
      [
        { name: 'x', values: ['a', 'b'] },
        { name: 'y', values: [1, 2] },
      ],
      taskPlan('9', { config }),
    );
    const { walk, world, contents } = testBuild(plan);
    world.variables['other'] = 'thing';
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1/0/0', '1/1/0', '1/2/0', '1/3/0']);
    const args = [...world.processes.values()].map(({ request }) => (request as { args: readonly string[] }).args);
    expect(args).toEqual([
      ['a', '1', 'thing'],
      ['a', '2', 'thing'],
      ['b', '1', 'thing'],
      ['b', '2', 'thing'],
    ]);
    const own = shortEvents(contents.events).filter((event) => event.startsWith('1 '));
    expect(own.map((event) => event.replace(/\{.*/, '').trim())).toEqual([
      '1 initialize',
      '1 start',
      '1 across-substeps',
      '1 finish',
    ]);
    const substeps = contents.events.find(({ event }) => event === 'across-substeps')?.data;
    expect(substeps).toMatchObject({
      substeps: [
        { values: ['a', 1], step: { id: '1/0/0', task: { name: 'task-9', privileged: false } } },
        { values: ['a', 2] },
        { values: ['b', 1] },
        { values: ['b', 2], step: { id: '1/3/0' } },
      ],
    });
  });

  test('[ENG-ACR2] gives each iteration plans of its own, and keeps what they refer to', async () => {
    const { version: _version, ...get } = (getPlan('12') as { get: { version?: unknown } }).get;
    const step = {
      id: '10',
      on_success: { step: putPlan('11'), on_success: { id: '12', get: { ...get, version_from: '11' } } },
    } as unknown as Plan;
    const { walk, world } = testBuild(acrossPlan([{ name: 'x', values: ['a', 'b'] }], step));
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1/0/1', '1/0/2', '1/1/1', '1/1/2']);
    expect(world.processes.get('1/1/2')?.request).toMatchObject({ version: { put: 'put-11' } });
  });

  test.each([
    ['a string', 'say "hi"', 'say "hi"'],
    ['more plan', '","privileged":true,"x":"', '","privileged":true,"x":"'],
    ['a number', 5, '5'],
  ])(
    '[ENG-ACR10] puts a value that is %s into a step of an across within, and nowhere else',
    async (_what, value, text) => {
      const task = taskPlan('9', { params: { X: '((.:x))', Y: '((.:y))' } });
      const inner: Plan = {
        id: '8',
        across: { vars: [{ name: 'y', values: ['1', '((.:x))'] }], substep_template: JSON.stringify(task) },
      };
      const { walk, world } = testBuild(acrossPlan([{ name: 'x', values: [value] }], inner));
      expect(await walk().outcome).toEqual({ status: 'succeeded' });
      const requests = [...world.processes.values()].map(({ request }) => request as TaskRequest);
      expect(requests.map(({ env, image }) => [env['X'], env['Y'], image.privileged])).toEqual([
        [text, '1', false],
        [text, text, false],
      ]);
    },
  );

  test('[ENG-ACR10] leaves its variables to an across within that calls its own so', async () => {
    const inner: Plan = {
      id: '8',
      across: {
        vars: [{ name: 'x', values: ['inner'] }],
        substep_template: JSON.stringify(taskPlan('9', { name: 't-((.:x))-((.:y))' })),
      },
    };
    const vars = [
      { name: 'x', values: ['outer'] },
      { name: 'y', values: ['other'] },
    ];
    const { walk, world } = testBuild(acrossPlan(vars, inner));
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect([...world.processes.values()].map(({ stepName }) => stepName)).toEqual(['t-inner-other']);
  });

  test('[ENG-ACR3] runs as many at once as its variables allow', async () => {
    const scripts = Object.fromEntries(['a', 'b', 'c'].map((x) => [`t-${x}`, { untilInterrupted: '' }]));
    const { walk, world, abort } = tasks([{ name: 'x', values: ['a', 'b', 'c'], max_in_flight: 2 }], scripts);
    const { outcome } = walk();
    await quiet();
    expect(world.started).toEqual(['1/0/0', '1/1/0']);
    abort.abort();
    expect(await outcome).toEqual({ status: 'aborted' });
    expect(world.started).toEqual(['1/0/0', '1/1/0']);
  });

  test('[ENG-ACR3] `all` means all', async () => {
    const scripts = Object.fromEntries(['a', 'b', 'c'].map((x) => [`t-${x}`, { untilInterrupted: '' }]));
    const { walk, world, abort } = tasks([{ name: 'x', values: ['a', 'b', 'c'], max_in_flight: 'all' }], scripts);
    const { outcome } = walk();
    await quiet();
    expect(world.started).toHaveLength(3);
    abort.abort();
    await outcome;
  });

  test('[ENG-ACR4] runs all iterations even if one fails, unless fail_fast is set', async () => {
    const vars = [
      { name: 'x', values: ['a', 'b', 'c'] },
      { name: 'y', values: [1, 2] },
    ];
    const slow = tasks(vars, { 't-a': { exit: 1 } });
    expect(await slow.walk().outcome).toEqual({ status: 'failed' });
    expect(slow.world.started).toHaveLength(6);
    const fast = tasks(vars, { 't-b': { exit: 1 } }, true);
    expect(await fast.walk().outcome).toEqual({ status: 'failed' });
    expect(fast.world.started).toEqual(['1/0/0', '1/1/0', '1/2/0']);
  });

  test('[ENG-ACR5] reports an error in addition to the step that had it', async () => {
    const { walk, contents } = tasks([{ name: 'x', values: ['a', 'b'] }], { 't-a': { error: 'no such executable' } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    const errors = contents.events.filter(({ event }) => event === 'error');
    expect(errors.map(({ data }) => (data as { message: string }).message)).toEqual([
      'no such executable',
      '1 error occurred:\n\t* no such executable\n\n',
    ]);
  });

  test('[ENG-ACR6] takes its values from variables', async () => {
    const { walk, world } = tasks([{ name: 'x', values: '((list))' }]);
    world.variables['list'] = ['p', 'q'];
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect([...world.processes.values()].map(({ stepName }) => stepName)).toEqual(['t-p', 't-q']);
  });

  test('[ENG-ACR6] errors when they are not there, or no list', async () => {
    const missing = tasks([{ name: 'x', values: '((list))' }]);
    expect(await missing.walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(missing.contents)).toBe('undefined vars: list');
    const text = tasks([{ name: 'x', values: 'text' }]);
    expect(await text.walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(text.contents)).toBe('the values of the across variable x are not a list');
  });

  test('[ENG-ACR7] has the same iterations in a later walk, whatever the variables are then', async () => {
    const { walk, world } = tasks([{ name: 'x', values: '((list))' }]);
    world.variables['list'] = ['p', 'q'];
    const first = walk({ crash: { at: 15, lose: 'operation' } });
    await expect(first.outcome).rejects.toThrow('crash');
    world.variables['list'] = ['other'];
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect([...world.processes.values()].map(({ stepName }) => stepName)).toEqual(['t-p', 't-q']);
  });

  test('[ENG-RED9] redacts in a later walk what its values were looked up from', async () => {
    const { walk, walkAndLetGo, world, contents } = testBuild(
      acrossPlan([{ name: 'x', values: '((list))' }], taskPlan('9')),
      {
        'task-9': { untilInterrupted: '' },
      },
    );
    world.variables['list'] = ['hunter2'];
    await walkAndLetGo();
    world.scripts['task-9'] = { stdout: 'it is hunter2\n' };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toContain('1/0/0 log stdout "it is ((redacted))\\n"');
  });

  test('[ENG-ACR8] warns when it shadows a variable', async () => {
    const load: Plan = { id: '2', load_var: { name: 'x', file: 'repo/f' } };
    const plan = {
      id: '0',
      do: [getPlan('g', { name: 'repo' }), load, acrossPlan([{ name: 'x', values: ['a'] }], named)],
    };
    const { walk, contents } = testBuild(plan, { repo: { files: { f: 'value' } } });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events).some((event) => event.includes("across step shadows local var 'x'"))).toBe(
      true,
    );
  });

  test('[ENG-ACR9] keeps what an iteration makes within it', async () => {
    const made = { ...config, run: { path: 'x' }, outputs: [{ name: 'out' }] };
    const needs = { ...config, run: { path: 'x' }, inputs: [{ name: 'out' }] };
    const plan = {
      id: '0',
      do: [
        acrossPlan([{ name: 'x', values: ['a'] }], taskPlan('9', { config: made })),
        taskPlan('2', { config: needs }),
      ],
    };
    const { walk, contents } = testBuild(plan);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('missing inputs: out');
  });
});
