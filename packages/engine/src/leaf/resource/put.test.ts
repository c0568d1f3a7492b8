import { describe, expect, test } from 'vitest';
import type { PutRequest } from '../../seams.ts';
import { requestOf } from '../../testing/memory-world.ts';
import { getPlan, putPlan } from '../../testing/plans.ts';
import { shortEvents, testBuild } from '../../testing/walk.ts';

const NAMES = ['repo', 'other', 'third'];

/** What a put with these settings gets to see of three artifacts. */
async function inputsOf(put: Parameters<typeof putPlan>[1]): Promise<string[]> {
  const gets = NAMES.map((name, index) => getPlan(`g${index}`, { name }));
  const { walk, world } = testBuild({ id: '0', do: [...gets, putPlan('p', put)] });
  expect(await walk().outcome).toEqual({ status: 'succeeded' });
  return Object.keys(requestOf<PutRequest>(world, 'p').inputs).sort();
}

describe('put', () => {
  test('[ENG-PUT1] makes a version: events, log, an output of the build', async () => {
    const plan = putPlan('1', { name: 'image', resource: 'image-resource', params: { tag: 'v1' } });
    const { walk, contents, world } = testBuild(plan, {
      image: { stderr: 'pushing\n', version: { digest: 'd' }, metadata: [{ name: 'n', value: 'v' }] },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toEqual([
      '1 initialize-put',
      '1 selected-worker {"selected_worker":"memory"}',
      '1 start-put',
      '1 log stderr "pushing\\n"',
      '1 finish-put {"exit_status":0,"version":{"digest":"d"},"metadata":[{"name":"n","value":"v"}]}',
    ]);
    expect([...world.saved]).toEqual([
      '["output","image","image-resource",{"uri":"u"},{"digest":"d"},[{"name":"n","value":"v"}]]',
    ]);
  });

  test('[ENG-PUT2] fails when its script does, and saves nothing', async () => {
    const { walk, contents, world } = testBuild(putPlan('1', { name: 'image', resource: 'r' }), { image: { exit: 3 } });
    expect(await walk().outcome).toEqual({ status: 'failed' });
    expect(shortEvents(contents.events).at(-1)).toBe('1 finish-put {"exit_status":3,"version":null}');
    expect(world.saved.size).toBe(0);
  });

  test('[ENG-PUT3] sees the inputs it asks for', async () => {
    expect(await inputsOf({ inputs: 'all' })).toEqual(['other', 'repo', 'third']);
    expect(await inputsOf({ inputs: ['repo', 'third'] })).toEqual(['repo', 'third']);
    expect(await inputsOf({ inputs: [] })).toEqual([]);
  });

  test('[ENG-PUT3] sees those its params name, when it does not ask', async () => {
    expect(await inputsOf({ params: { file: 'repo/version' } })).toEqual(['repo']);
    expect(
      await inputsOf({ inputs: 'detect', params: { a: ['./other/x', { b: '../third/y' }], c: 'repo', d: 1 } }),
    ).toEqual(['other', 'repo', 'third']);
    expect(await inputsOf({ params: { text: 'a repo', path: 'x/repo' } })).toEqual([]);
    expect(await inputsOf({})).toEqual([]);
  });

  test('[ENG-PUT4] errors when an input it asks for is not there', async () => {
    const { walk, contents } = testBuild(putPlan('1', { inputs: ['nowhere'] }));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(shortEvents(contents.events)).toEqual([
      '1 initialize-put',
      '1 error {"message":"input not found: nowhere"}',
    ]);
  });
});
