import type { Plan, TaskConfig } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import { getPlan, putPlan, taskPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../../testing/walk.ts';

const base: TaskConfig = {
  platform: 'linux',
  rootfs_uri: 'docker:///busybox',
  run: { path: 'ls', args: ['-l'], dir: 'src' },
};

/** A get that leaves an artifact, then a task. */
function withArtifact(name: string, task: Plan): Plan {
  return { id: '0', do: [getPlan('g', { name }), task] };
}

describe('task', () => {
  test('[ENG-TASK10] shows which of its inputs come from another worker', async () => {
    const { walk, contents } = testBuild(taskPlan('1', { name: 'unit', config: base }), {
      unit: {
        notices: [
          { kind: 'streaming', artifact: 'get-1-x', from: 'north', to: 'south' },
          { kind: 'waiting-for-stream', artifact: 'get-2-x', to: 'south' },
        ],
      },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toContain(
      '1 streaming-volume {"volume":"get-1-x","source_worker":"north","dest_worker":"south"}',
    );
    expect(shortEvents(contents.events)).toContain(
      '1 waiting-for-streamed-volume {"volume":"get-2-x","dest_worker":"south"}',
    );
  });

  test('[ENG-TASK11] shows that it waits for a worker, and why', async () => {
    const { walk, contents } = testBuild(taskPlan('1', { name: 'unit', config: base }), {
      unit: { notices: [{ kind: 'waiting-for-worker', reason: 'waiting for a worker: ci is full' }] },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    const events = shortEvents(contents.events);
    const waits = events.indexOf('1 waiting-for-worker');
    expect(events[waits + 1]).toBe('1 log stderr "waiting for a worker: ci is full\\n"');
  });

  test('[ENG-TASK1] runs its process: events, log, exit status', async () => {
    const { walk, contents, world } = testBuild(
      taskPlan('1', { name: 'unit', config: base, tags: ['arm'], privileged: true }),
      {
        unit: { stdout: 'hello\n' },
      },
    );
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    const config =
      '{"config":{"platform":"linux","image":"docker:///busybox","run":{"path":"ls","args":["-l"],"dir":"src"},"inputs":null}}';
    expect(shortEvents(contents.events)).toEqual([
      `1 initialize-task ${config}`,
      '1 selected-worker {"selected_worker":"memory"}',
      `1 start-task ${config}`,
      '1 log stdout "hello\\n"',
      '1 finish-task {"exit_status":0}',
    ]);
    expect(world.processes.get('1')?.request).toEqual({
      image: { kind: 'uri', uri: 'docker:///busybox', privileged: true },
      platform: 'linux',
      tags: ['arm'],
      path: 'ls',
      args: ['-l'],
      dir: 'src',
      env: { ATC_EXTERNAL_URL: 'https://ci.example.com' },
      hermetic: false,
      inputs: [],
      outputs: [],
      caches: [],
      cacheOwner: { jobId: 3 },
    });
  });

  test('[ENG-TASK2] fails by its exit status', async () => {
    const { walk, contents } = testBuild(taskPlan('1', { name: 'unit' }), { unit: { exit: 17 } });
    expect(await walk().outcome).toEqual({ status: 'failed' });
    expect(shortEvents(contents.events).at(-1)).toBe('1 finish-task {"exit_status":17}');
  });

  test('[ENG-TASK3] errors when its process cannot be started', async () => {
    const { walk, contents } = testBuild(taskPlan('1', { name: 'unit' }), {
      unit: { error: 'no such executable: run' },
    });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('no such executable: run');
  });

  test('[ENG-TASK4] gets its inputs, under other names if mapped; optional ones if they are there', async () => {
    const config = {
      ...base,
      inputs: [
        { name: 'code', path: 'src' },
        { name: 'extra', optional: true },
        { name: 'up', path: '../../etc' },
      ],
    };
    const task = taskPlan('1', { config, input_mapping: { code: 'repo', up: 'repo' } });
    const { walk, world } = testBuild(withArtifact('repo', task));
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({
      inputs: [
        { name: 'code', path: 'src', artifact: { id: 'got g' } },
        { name: 'up', path: 'etc', artifact: { id: 'got g' } },
      ],
    });
  });

  test('[ENG-TASK4] errors when inputs are missing, naming them as the pipeline does', async () => {
    const config = { ...base, inputs: [{ name: 'a' }, { name: 'b' }, { name: 'c', optional: true }] };
    const { walk, contents } = testBuild(taskPlan('1', { config, input_mapping: { b: 'mapped' } }));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('missing inputs: a, mapped');
  });

  test.each([0, 1])(
    '[ENG-TASK5] leaves its outputs, under other names if mapped, when it exits with %i',
    async (exit) => {
      const config = { ...base, outputs: [{ name: 'bin', path: 'out/bin' }, { name: 'log' }] };
      const reader = taskPlan('2', { config: { ...base, inputs: [{ name: 'built' }, { name: 'log' }] } });
      const plan = {
        id: '0',
        do: [
          { id: 't', try: { step: taskPlan('1', { name: 'make', config, output_mapping: { bin: 'built' } }) } },
          reader,
        ],
      };
      const { walk, world } = testBuild(plan, { make: { exit } });
      expect(await walk().outcome).toEqual({ status: 'succeeded' });
      expect(world.processes.get('1')?.request).toMatchObject({
        outputs: [
          { name: 'bin', path: 'out/bin' },
          { name: 'log', path: 'log' },
        ],
      });
      expect(world.processes.get('2')?.request).toMatchObject({
        inputs: [{ artifact: { id: 'out 1 bin' } }, { artifact: { id: 'out 1 log' } }],
      });
    },
  );

  test('[ENG-TASK6] has limits, caches, user, environment', async () => {
    const config = {
      ...base,
      run: { path: 'make', user: 'nobody' },
      container_limits: { cpu: 512, memory: 1024 },
      caches: [{ path: 'node_modules' }, { path: 'dist', ttl: '1h30m' }],
      params: { A: 'file', B: 'file' },
    };
    const plan = taskPlan('1', { config, container_limits: { memory: 2048 }, params: { B: 'step' }, hermetic: true });
    const { walk, world } = testBuild(plan);
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({
      user: 'nobody',
      limits: { cpu: 512, memory: 2048 },
      caches: [{ path: 'node_modules' }, { path: 'dist', ttlMs: 5_400_000 }],
      env: { A: 'file', B: 'step' },
      hermetic: true,
    });
  });

  test('[ENG-DEF1] has the limits and the ttl of caches that the operator set, if it says nothing itself', async () => {
    const config = { ...base, caches: [{ path: 'a' }, { path: 'b', ttl: '1s' }], container_limits: { cpu: 512 } };
    const { walk, world } = testBuild(taskPlan('1', { config }));
    world.defaults = { taskLimits: { cpu: 1, memory: 1024 }, taskCacheTtl: '1h' };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({
      limits: { cpu: 512, memory: 1024 },
      caches: [
        { path: 'a', ttlMs: 3_600_000 },
        { path: 'b', ttlMs: 1000 },
      ],
    });
  });

  test('[ENG-DEF1] its image has the defaults of its base type', async () => {
    const image_resource = { type: 'registry-image', source: { repository: 'x' }, version: { digest: 'd' } };
    const { walk, world } = testBuild(
      taskPlan('1', { config: { platform: 'linux', run: { path: 'ls' }, image_resource } }),
    );
    world.defaults = { baseTypeDefaults: { 'registry-image': { mirror: 'm', repository: 'y' } } };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1/image-get')?.request).toMatchObject({ source: { mirror: 'm', repository: 'x' } });
  });

  test.each([
    ['getTimeout', getPlan('1', { name: 'slow' }), getPlan('1', { name: 'slow', timeout: '3m' })],
    ['putTimeout', putPlan('1', { name: 'slow' }), putPlan('1', { name: 'slow', timeout: '3m' })],
    ['taskTimeout', taskPlan('1', { name: 'slow' }), taskPlan('1', { name: 'slow', timeout: '3m' })],
  ])('[ENG-DEF1] %s is the timeout of a step that has none', async (name, without, withOwn) => {
    for (const [plan, minutes] of [[without, 1] as const, [withOwn, 3] as const]) {
      const { walk, world, clock, contents } = testBuild(plan, { slow: { untilInterrupted: '' } });
      world.defaults = { [name]: '1m' };
      const { outcome } = walk();
      await clock.advance(minutes * 60_000 - 1);
      expect(world.processes.get('1')?.interrupted).toBe(false);
      await clock.advance(1);
      expect(await outcome).toEqual({ status: 'failed' });
      expect(shortEvents(contents.events).at(-1)).toBe('1 error {"message":"timeout exceeded"}');
    }
  });

  test('[ENG-TASK6] has no caches to keep in a build without a job', async () => {
    const { walk, world } = testBuild(taskPlan('1'), {}, { jobId: undefined } as never);
    await walk().outcome;
    expect(world.processes.get('1')?.request).not.toHaveProperty('cacheOwner');
  });

  test('[ENG-TASK7] can be interrupted: by its own timeout it fails, and leaves its outputs', async () => {
    const config = { ...base, outputs: [{ name: 'log' }] };
    const hook = taskPlan('2', { config: { ...base, inputs: [{ name: 'log' }] } });
    const slow = taskPlan('1', { name: 'slow', config, timeout: '1m' });
    const { walk, clock, contents, world } = testBuild(
      { id: '0', on_failure: { step: slow, on_failure: hook } },
      { slow: { stdout: 'working\n', untilInterrupted: 'got TERM\n' } },
    );
    const { outcome } = walk();
    await clock.advance(60_000);
    expect(await outcome).toEqual({ status: 'failed' });
    expect(
      shortEvents(contents.events)
        .filter((event) => event.startsWith('1 '))
        .slice(3),
    ).toEqual(['1 log stdout "working\\n"', '1 log stdout "got TERM\\n"', '1 error {"message":"timeout exceeded"}']);
    expect(world.processes.get('2')?.request).toMatchObject({ inputs: [{ artifact: { id: 'out 1 log' } }] });
  });
});
