import type { TaskConfig } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { GetRequest, PulledImage, TaskRequest } from '../../seams.ts';
import { requestOf } from '../../testing/memory-world.ts';
import { getPlan, taskPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../../testing/walk.ts';

const base: TaskConfig = { platform: 'linux', run: { path: 'ls' } };
const PULLED: PulledImage = {
  worker: 'one',
  digest: 'd',
  reference: 'busybox@d',
  env: [],
  user: '',
  command: ['/bin/app', '--serve'],
};
const image_resource = { type: 'registry-image', source: { repository: 'busybox' } };

describe('image of a task', () => {
  test('[ENG-IMG3] is the artifact that the step names, before anything else', async () => {
    const task = taskPlan('1', { image: 'built', config: { ...base, image_resource, rootfs_uri: 'x' } });
    const { walk, world } = testBuild({ id: '0', do: [getPlan('g', { name: 'built' }), task] });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['g', '1']);
    expect(world.processes.get('1')?.request).toMatchObject({ image: { kind: 'artifact', artifact: { id: 'got g' } } });
  });

  test('[ENG-IMG3] errors when that artifact is not there', async () => {
    const { walk, contents } = testBuild(taskPlan('1', { image: 'nowhere' }));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    const message =
      "missing image artifact source: nowhere\n\nmake sure there's a corresponding 'get' step, or a task that produces it as an output";
    expect(shortEvents(contents.events).at(-1)).toBe(`1 error ${JSON.stringify({ message })}`);
  });

  test('[ENG-IMG4] is fetched from an image_resource: its version is checked for, then got', async () => {
    const { walk, contents, world } = testBuild(
      taskPlan('1', { config: { ...base, image_resource }, privileged: true }),
      {
        image: { versions: [{ digest: 'old' }, { digest: 'new' }], stderr: 'pulling\n' },
      },
    );
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events).map((event) => event.replace(/ \{.*/, ''))).toEqual([
      '1 initialize-task',
      '1 image-check',
      '1 image-get',
      '1/image-check initialize-check',
      '1/image-check selected-worker',
      '1/image-check start',
      '1/image-check log stderr "pulling\\n"',
      '1/image-check finish',
      '1/image-get initialize-get',
      '1/image-get start-get',
      '1/image-get selected-worker',
      '1/image-get log stderr "pulling\\n"',
      '1/image-get finish-get',
      '1 selected-worker',
      '1 start-task',
      '1 finish-task',
    ]);
    expect(shortEvents(contents.events)[1]).toBe(
      '1 image-check {"plan":{"id":"1/image-check","check":{"name":"image","type":"registry-image"}}}',
    );
    expect(world.processes.get('1/image-get')?.request).toMatchObject({ version: { digest: 'new' } });
    expect(world.processes.get('1')?.request).toMatchObject({
      image: { kind: 'artifact', artifact: { id: 'got 1/image-get' }, privileged: true },
    });
  });

  test('[ENG-IMG4] is not checked for when its version is given', async () => {
    const config = { ...base, image_resource: { ...image_resource, version: { digest: 'fixed' } } };
    const { walk, contents, world } = testBuild(taskPlan('1', { config }));
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1/image-get', '1']);
    expect(shortEvents(contents.events).some((event) => event.includes('image-check'))).toBe(false);
  });

  test('[ENG-IMG8] may be pulled by the host: the events are the same, and the source is looked up when it is needed', async () => {
    const secret = { ...image_resource, source: { repository: 'busybox', password: '((password))' } };
    const task = taskPlan('1', { config: { ...base, image_resource: secret }, privileged: true });
    const script = { versions: [{ digest: 'd' }] };
    const events = async (scripts: Parameters<typeof testBuild>[1]) => {
      const build = testBuild(task, scripts);
      build.world.variables['password'] = 'hunter2';
      expect(await build.walk().outcome).toEqual({ status: 'succeeded' });
      return build;
    };
    const fetched = await events({ image: script });
    const pulled = await events({ image: { ...script, pulled: PULLED } });
    const withoutWorker = (build: typeof fetched) =>
      shortEvents(build.contents.events).filter((event) => !event.startsWith('1/image-get selected-worker'));
    expect(withoutWorker(pulled)).toEqual(withoutWorker(fetched));
    const { image } = requestOf<TaskRequest>(pulled.world, '1');
    expect(image).toMatchObject({ kind: 'pulled', image: PULLED, privileged: true });
    expect(await (image.kind === 'pulled' ? image.source() : undefined)).toEqual({
      repository: 'busybox',
      password: 'hunter2',
    });
  });

  test('[ENG-IMG8] is pulled only where nobody reads its files', async () => {
    const { walk, world } = testBuild(getPlan('1', { name: 'image' }), { image: { pulled: PULLED } });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1']);
    expect(requestOf<GetRequest>(world, '1').forImage).toBeUndefined();
  });

  test('[ENG-TASK8] a pulled image has the command of a task that names no path', async () => {
    const config = { ...base, image_resource, run: { path: '', args: ['own'] } };
    const { walk, world } = testBuild(taskPlan('1', { config }), {
      image: { versions: [{ digest: 'd' }], pulled: PULLED },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(requestOf<TaskRequest>(world, '1')).toMatchObject({ path: '/bin/app', args: ['--serve', 'own'] });
  });

  test('[ENG-IMG5] is not an artifact that other steps see', async () => {
    const task = taskPlan('1', { config: { ...base, image_resource } });
    const reader = taskPlan('2', { config: { ...base, rootfs_uri: 'x', inputs: [{ name: 'image' }] } });
    const { walk, contents } = testBuild({ id: '0', do: [task, reader] }, { image: { versions: [{ digest: 'd' }] } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('missing inputs: image');
  });

  test.each(['linux', 'darwin'])('[ENG-IMG6] is none if nothing names one, for %s', async (platform) => {
    const { walk, world } = testBuild(taskPlan('1', { config: { ...base, platform } }));
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('1')?.request).toMatchObject({ image: { kind: 'none' }, platform });
  });

  test('[ENG-TASK7] takes its time outside of the timeout of the task', async () => {
    const pulled = Promise.withResolvers<void>();
    const task = taskPlan('1', { name: 'slow', timeout: '1m', config: { ...base, image_resource } });
    const { walk, clock, world, contents } = testBuild(task, {
      image: { versions: [{ digest: 'd' }], until: () => pulled.promise },
      slow: { untilInterrupted: '' },
    });
    const { outcome } = walk();
    await clock.advance(600_000);
    pulled.resolve();
    await clock.advance(59_999);
    expect(world.processes.get('1')?.interrupted).toBe(false);
    await clock.advance(1);
    expect(await outcome).toEqual({ status: 'failed' });
    expect(shortEvents(contents.events).at(-1)).toBe('1 error {"message":"timeout exceeded"}');
  });
});
