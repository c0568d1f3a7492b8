import { describe, expect, test } from 'vitest';
import { requestOf } from '../testing/memory-world.ts';
import { taskPlan } from '../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../testing/walk.ts';

const input = { id: '1', artifact_input: { artifact_id: 5, name: 'code' } };
const config = {
  platform: 'linux',
  rootfs_uri: 'x',
  run: { path: 'make' },
  inputs: [{ name: 'code' }],
  outputs: [{ name: 'bin' }],
};

describe('artifacts of fly execute', () => {
  test('[ENG-ART1] come from uploads and are published for downloads', async () => {
    const output = { id: '3', artifact_output: { name: 'bin' } };
    const { walk, world, contents } = testBuild({ id: '0', do: [input, taskPlan('2', { config }), output] });
    world.uploads.set(5, 'uploaded');
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(requestOf(world, '2')).toMatchObject({ inputs: [{ artifact: { id: 'uploaded' } }] });
    expect([...world.published]).toEqual([['42 bin', 'out 2 bin']]);
    expect(shortEvents(contents.events).every((event) => event.startsWith('2 '))).toBe(true);
  });

  test('[ENG-ART2] must be there', async () => {
    const upload = testBuild(input);
    expect(await upload.walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(upload.contents)).toBe("volume for worker artifact 'code' not found");
    const download = testBuild({ id: '1', artifact_output: { name: 'bin' } });
    expect(await download.walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(download.contents)).toBe("artifact 'bin' not found");
  });
});

describe('run', () => {
  test('[ENG-RUN1] pretends', async () => {
    const { walk, contents } = testBuild({
      id: '1',
      run: { message: 'some-message', type: 'some-prototype', privileged: false },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toEqual([
      '1 initialize',
      expect.stringContaining('not yet implemented'),
      '1 start',
      expect.stringContaining('pretending to run some-message on prototype some-prototype...'),
      '1 finish {"succeeded":true}',
    ]);
  });
});
