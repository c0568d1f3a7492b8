import type { Plan, TaskPlan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import { getPlan, taskPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../../testing/walk.ts';

const FILE = `platform: linux
rootfs_uri: docker:///busybox
params: { A: from-file, B: ((b)) }
run: { path: echo, args: [((word)), ((vault:secret.key))] }
`;

function fixture(task: Partial<TaskPlan>, file = FILE) {
  const plan: Plan = { id: '0', do: [getPlan('g', { name: 'repo' }), taskPlan('1', { name: 't', ...task })] };
  return testBuild(plan, { repo: { files: { 'ci/task.yml': file } } });
}

async function errorOf(task: Partial<TaskPlan>, file?: string): Promise<string> {
  const { walk, contents } = fixture(task, file);
  expect(await walk().outcome).toEqual({ status: 'errored' });
  return lastError(contents);
}

describe('configuration of a task', () => {
  test('[ENG-CONF1] comes from a file, with variables of the step first, then of everybody', async () => {
    const { walk, world } = fixture({ config_path: 'repo/ci/task.yml', vars: { word: 'hello', b: 'bee' } });
    world.variables['vault:secret.key'] = 'hunter2';
    world.variables['word'] = 'not this one';
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({
      path: 'echo',
      args: ['hello', 'hunter2'],
      env: { A: 'from-file', B: 'bee' },
    });
  });

  test('[ENG-CONF2] errors when a variable is not known, naming all of them', async () => {
    expect(await errorOf({ config_path: 'repo/ci/task.yml', vars: { b: 'bee' } })).toBe(
      'failed to interpolate task config: undefined vars: vault:secret.key, word',
    );
  });

  test('[ENG-CONF2] reports a variable of the step that has the wrong type for the file', async () => {
    const task = { config_path: 'repo/ci/task.yml', vars: { word: 'text' } };
    expect(await errorOf(task, 'platform: ((word.x))')).toBe(
      "failed to interpolate task config: cannot access field 'x' of non-map value ('string') from var: word.x",
    );
  });

  test('[ENG-CONF3] is overridden by the params of the step; one that the file does not know is warned of', async () => {
    const { walk, world, contents } = fixture({
      config_path: 'repo/ci/task.yml',
      vars: { word: 'x', b: 'y' },
      params: { A: '((name))', NEW: 'thing' },
    });
    world.variables['vault:secret.key'] = 'hunter2';
    world.variables['name'] = 'from-vault';
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({ env: { A: 'from-vault', B: 'y', NEW: 'thing' } });
    expect(shortEvents(contents.events).filter((event) => event.includes('WARNING'))).toEqual([
      '1 log stderr "[WARNING] NEW was defined in pipeline but missing from task file\\n"',
    ]);
  });

  test('[ENG-CONF4] errors when there is no such file', async () => {
    expect(await errorOf({ config_path: 'task.yml' })).toBe(
      "config path 'task.yml' does not specify where the file lives",
    );
    expect(await errorOf({ config_path: 'other/task.yml' })).toBe(
      "unknown artifact source: 'other' in file path 'other/task.yml'",
    );
    expect(await errorOf({ config_path: 'repo/nowhere.yml' })).toBe("task config 'repo/nowhere.yml' not found");
  });

  test('[ENG-CONF4] is read once, so that a task that is to end is attached to, not read for', async () => {
    const { walk, walkAndLetGo, world, abort } = fixture(
      { name: 'hangs', config_path: 'repo/ci/task.yml' },
      '{platform: x, rootfs_uri: y, run: {path: z}}',
    );
    world.scripts['hangs'] = { untilInterrupted: 'got TERM' };
    await walkAndLetGo();
    world.artifacts.clear();
    abort.abort();
    expect(await walk().outcome).toEqual({ status: 'aborted' });
    expect(world.processes.get('1')).toMatchObject({ attached: 2, interrupted: true });
  });

  test.each([
    ['', "invalid task configuration:\nmissing 'platform'"],
    ['text', 'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into a field of type object'],
    [
      '{platform: x, params: text}',
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into a field of type map (at params)',
    ],
  ])('[ENG-CONF5] errors when the file %j has nowhere to put params', async (file, message) => {
    expect(
      await errorOf({ config_path: 'repo/ci/task.yml', params: { A: 'x' }, container_limits: { cpu: 1 } }, file),
    ).toBe(`failed to create task config from bytes repo/ci/task.yml: ${message}`);
  });

  test('[ENG-CONF5] errors when the file is not a configuration', async () => {
    expect(await errorOf({ config_path: 'repo/ci/task.yml' }, 'platform: linux\nrun: [\n')).toContain(
      'failed to create task config from bytes repo/ci/task.yml: error converting YAML to JSON: yaml: line',
    );
    expect(await errorOf({ config_path: 'repo/ci/task.yml' }, 'run: { path: ls }\n')).toBe(
      "failed to create task config from bytes repo/ci/task.yml: invalid task configuration:\nmissing 'platform'",
    );
  });

  test('[ENG-CONF6] errors when the file is too large', async () => {
    const large = `platform: ${'x'.repeat(1024 * 1024)}`;
    expect(await errorOf({ config_path: 'repo/ci/task.yml' }, large)).toBe(
      'ci/task.yml is larger than the limit of 1048576 bytes: it has 1048586 bytes',
    );
  });

  test('[ENG-RED8] is shown without secrets', async () => {
    const { walk, world, contents } = fixture({ config_path: 'repo/ci/task.yml', vars: { word: 'hello', b: 'bee' } });
    world.variables['vault:secret.key'] = 'hunter2';
    await walk().outcome;
    const shown = contents.events.filter(({ event }) => event.endsWith('-task'));
    expect(JSON.stringify(shown)).toContain('"args":["hello","((redacted))"]');
    expect(JSON.stringify(contents.events)).not.toContain('hunter2');
  });

  test('[ENG-RED8] nor are secrets in errors', async () => {
    const { walk, world, contents } = fixture({ config_path: 'repo/ci/task.yml', vars: { word: 'hello', b: 'bee' } });
    world.variables['vault:secret.key'] = 'hunter2';
    world.scripts['t'] = { error: 'cannot run echo hello hunter2' };
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('cannot run echo hello ((redacted))');
  });
});
