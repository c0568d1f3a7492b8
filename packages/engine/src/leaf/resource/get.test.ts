import { describe, expect, test } from 'vitest';
import { checkPlan, customImage, getPlan, putPlan, taskPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../../testing/walk.ts';

const succeeded = { status: 'succeeded' };

describe('get', () => {
  test('[ENG-GET1] fetches a version: events, log, metadata, an artifact for later steps', async () => {
    const plan = {
      id: '0',
      do: [
        getPlan('1', { name: 'repo', resource: 'repo-resource', params: { depth: 1 } }),
        putPlan('2', { name: 'out', inputs: ['repo'] }),
      ],
    };
    const { walk, contents, world } = testBuild(plan, {
      repo: { stderr: 'cloning\n', metadata: [{ name: 'commit', value: 'abc' }] },
    });
    expect(await walk().outcome).toEqual(succeeded);
    expect(shortEvents(contents.events).slice(0, 5)).toEqual([
      '1 initialize-get',
      '1 start-get',
      '1 selected-worker {"selected_worker":"memory"}',
      '1 log stderr "cloning\\n"',
      '1 finish-get {"exit_status":0,"version":{"ref":"1"},"metadata":[{"name":"commit","value":"abc"}]}',
    ]);
    expect(world.processes.get('1')?.request).toMatchObject({
      type: 'git',
      source: { uri: 'u' },
      version: { ref: '1' },
      params: { depth: 1 },
      image: { kind: 'base-type', type: 'git', privileged: false },
      tags: [],
    });
    expect(world.saved).toContain('["input","repo-resource",{"ref":"1"},[{"name":"commit","value":"abc"}]]');
    expect(world.processes.get('2')?.request).toMatchObject({ inputs: { repo: { id: 'got 1' } } });
  });

  test('[ENG-GET2] fails when its script does, and leaves no artifact', async () => {
    const plan = {
      id: '0',
      on_failure: { step: getPlan('1', { name: 'repo' }), on_failure: putPlan('2', { inputs: ['repo'] }) },
    };
    const { walk, contents } = testBuild(plan, { repo: { exit: 1 } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(shortEvents(contents.events)).toContain('1 finish-get {"exit_status":1,"version":null}');
    expect(lastError(contents)).toBe('input not found: repo');
  });

  test('[ENG-GET3] takes its version from a put before it', async () => {
    const { version: _version, ...get } = (getPlan('2') as { get: object } & { get: { version?: unknown } }).get;
    const second = { id: '2', get: { ...get, version_from: '1' } } as never;
    const { walk, world } = testBuild({ id: '0', on_success: { step: putPlan('1'), on_success: second } });
    expect(await walk().outcome).toEqual(succeeded);
    expect(world.processes.get('2')?.request).toMatchObject({ version: { put: 'put-1' } });
  });

  test('[ENG-GET3] errors when the step before it has no version', async () => {
    const { version: _version, ...get } = (getPlan('2') as { get: { version?: unknown } }).get;
    const { walk, contents } = testBuild({ id: '2', get: { ...get, version_from: '1' } } as never);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('version is missing from previous step');
  });

  test('[ENG-GET4] says when nothing had to be fetched, and finishes all the same', async () => {
    const { walk, contents, world } = testBuild(getPlan('1', { name: 'repo' }), { repo: { cached: true } });
    expect(await walk().outcome).toEqual(succeeded);
    expect(world.started).toEqual([]);
    expect(shortEvents(contents.events)).toEqual([
      '1 initialize-get',
      '1 start-get',
      '1 log stderr "found in the cache\\n"',
      '1 finish-get {"exit_status":0,"version":{"ref":"1"}}',
    ]);
  });

  test('[ENG-GET5] makes its metadata a local variable', async () => {
    const config = { platform: 'linux', rootfs_uri: 'x', run: { path: 'echo', args: ['((.:repo.commit))'] } };
    const plan = { id: '0', do: [getPlan('1', { name: 'repo' }), taskPlan('2', { config })] };
    const { walk, world } = testBuild(plan, { repo: { metadata: [{ name: 'commit', value: 'abc' }] } });
    expect(await walk().outcome).toEqual(succeeded);
    expect(world.processes.get('2')?.request).toMatchObject({ args: ['abc'] });
  });

  test('[ENG-IMG1] fetches the image of a custom type first, in a scope of its own', async () => {
    const plan = {
      id: '0',
      do: [getPlan('1', { type: 'custom', image: { ...customImage('1', { repository: 'r' }), privileged: true } })],
    };
    const { walk, contents, world } = testBuild(plan, { custom: { versions: [{ digest: 'd' }] } });
    expect(await walk().outcome).toEqual(succeeded);
    expect(world.started).toEqual(['1/image-check', '1/image-get', '1']);
    expect(world.processes.get('1/image-get')?.request).toMatchObject({ version: { digest: 'd' } });
    expect(world.processes.get('1')?.request).toMatchObject({
      type: 'custom',
      image: { kind: 'artifact', artifact: { id: 'got 1/image-get' }, privileged: true },
      imageCacheId: expect.any(String),
    });
    expect(shortEvents(contents.events).filter((event) => event.startsWith('1 '))).toEqual([
      '1 initialize-get',
      '1 start-get',
      '1 selected-worker {"selected_worker":"memory"}',
      '1 finish-get {"exit_status":0,"version":{"ref":"1"}}',
    ]);
  });

  test.each([
    ['image check failed', '1/image-check', { exit: 1 }],
    ['image fetching failed', '1/image-get', { versions: [{ digest: 'd' }] }],
  ])('[ENG-IMG2] errors with "%s"', async (message, _where, script) => {
    const image = customImage('1');
    const failing = { ...image, get_plan: { ...image.get_plan, get: { ...image.get_plan.get, name: 'fetch' } } };
    const { walk, contents } = testBuild(getPlan('1', { image: failing }), { custom: script, fetch: { exit: 1 } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(shortEvents(contents.events).at(-1)).toBe(`1 error ${JSON.stringify({ message })}`);
  });

  test.each([
    ['get', getPlan('1', { type: 'git', image: { base_type: 'mock' } })],
    ['put', putPlan('1', { type: 'git', image: { base_type: 'mock' } })],
    ['check', checkPlan('1', { type: 'git', image: { base_type: 'mock' } })],
    [
      'get of an across',
      {
        id: '1',
        across: {
          vars: [{ name: 'x', values: ['mock'] }],
          substep_template: JSON.stringify(getPlan('2', { type: 'git', image: { base_type: '((.:x))' } })),
        },
      },
    ],
  ])('[ENG-IMG7] a %s whose base type is not its type runs nothing', async (_, plan) => {
    const { walk, contents, world } = testBuild(plan);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(world.started).toEqual([]);
    const message = 'the base type mock is not the type of the step, which is git';
    expect(
      contents.events.map(({ event, data }) => event === 'error' && (data as { message: string }).message),
    ).toContain(message);
  });
});
