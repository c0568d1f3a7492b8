import type { Plan, TaskConfig } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { TaskRequest } from '../../seams.ts';
import { requestOf } from '../../testing/memory-world.ts';
import { getPlan, taskPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, type TestBuild, testBuild } from '../../testing/walk.ts';

/** A task without a path, in an image with this metadata. */
function inImage(metadata: string | undefined, run: Partial<TaskConfig['run']> = {}): TestBuild {
  const config = { platform: 'linux', run: { path: '', ...run } };
  const plan: Plan = { id: '0', do: [getPlan('g', { name: 'built' }), taskPlan('1', { image: 'built', config })] };
  return testBuild(plan, { built: { files: metadata === undefined ? {} : { 'metadata.json': metadata } } });
}

describe('a task that names no path', () => {
  test.each([
    ['{"entrypoint": ["/bin/sh", "-c"], "cmd": ["date"]}', '/bin/sh', ['-c', 'date', 'own']],
    ['{"entrypoint": ["/bin/sh"]}', '/bin/sh', ['own']],
    ['{"cmd": ["date", "-u"], "entrypoint": null}', 'date', ['-u', 'own']],
    ['{"Cmd": ["date"]}', 'date', ['own']],
  ])('[ENG-TASK8] runs what its image says: %s', async (metadata, path, args) => {
    const { walk, world, contents } = inImage(metadata, { args: ['own'], dir: 'src', user: 'me' });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(requestOf<TaskRequest>(world, '1')).toMatchObject({ path, args, dir: 'src', user: 'me' });
    const started = contents.events.find(({ event }) => event === 'start-task');
    expect(started?.data).toMatchObject({ config: { run: { path, args } } });
  });

  test.each(['{}', 'null', '{"entrypoint": [], "cmd": []}'])(
    '[ENG-TASK8] errors if its image says nothing: %s',
    async (metadata) => {
      const { walk, world, contents } = inImage(metadata);
      expect(await walk().outcome).toEqual({ status: 'errored' });
      expect(world.started).toEqual(['g']);
      expect(lastError(contents)).toBe(
        'No executable defined for task. Specify an executable to run in either the task config (run.path) or as an ENTRYPOINT/CMD in the container image.',
      );
    },
  );

  test('[ENG-TASK8] errors if its image is not an artifact', async () => {
    const config = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: '' } };
    const { walk, contents } = testBuild(taskPlan('1', { config }));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toContain('No executable defined for task.');
  });

  test.each([
    [undefined, "file 'metadata.json' not found within artifact 'got g'"],
    ['no json', 'error parsing metadata.json from rootfs: '],
    ['[]', 'error parsing metadata.json from rootfs: it is not an object'],
    ['{"cmd": "date"}', 'error parsing metadata.json from rootfs: its cmd is not a list of texts'],
  ])('[ENG-TASK8] errors if the metadata is %s', async (metadata, message) => {
    const { walk, contents } = inImage(metadata);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toContain(message);
  });

  test('[ENG-TASK8] reads its image once, so that a later walk does not need it', async () => {
    const build = inImage('{"cmd": ["date"]}');
    build.world.scripts['task-1'] = { untilInterrupted: 'bye' };
    await build.walkAndLetGo();
    build.world.artifacts.clear();
    build.abort.abort();
    expect(await build.walk().outcome).toEqual({ status: 'aborted' });
    expect(shortEvents(build.contents.events)).toContain('1 log stdout "bye"');
  });
});
