import { describe, expect, test } from 'vitest';
import { checkPlan } from '../../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../../testing/walk.ts';

describe('check', () => {
  test('[ENG-CHK1] finds versions: events, log, versions saved', async () => {
    const { walk, contents, world } = testBuild(checkPlan('1', { name: 'repo', resource: 'repo' }), {
      repo: { stderr: 'asking\n', versions: [{ ref: 'a' }, { ref: 'b' }] },
    });
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toEqual([
      '1 initialize-check {"name":"repo"}',
      '1 selected-worker {"selected_worker":"memory"}',
      '1 start',
      '1 log stderr "asking\\n"',
      '1 finish {"succeeded":true}',
    ]);
    expect([...world.saved]).toEqual(['["checked","repo",[{"ref":"a"},{"ref":"b"}]]']);
    expect(world.processes.get('1')?.request).not.toHaveProperty('from');
  });

  test('[ENG-CHK2] asks from the version it is given, else from the newest known', async () => {
    for (const [given, from] of [
      [{ from_version: { ref: 'given' } }, { ref: 'given' }],
      [{}, { ref: 'known' }],
    ] as const) {
      const { walk, world } = testBuild(checkPlan('1', { name: 'repo', ...given }));
      world.checks['repo'] = { from: { ref: 'known' } };
      await walk().outcome;
      expect(world.processes.get('1')?.request).toMatchObject({ from });
    }
  });

  test('[ENG-CHK3] runs nothing when it was asked lately', async () => {
    const { walk, contents, world } = testBuild(checkPlan('1', { name: 'repo' }));
    world.checks['repo'] = { skip: { latest: { ref: 'known' } } };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual([]);
    expect(shortEvents(contents.events)).toEqual(['1 initialize-check {"name":"repo"}', '1 finish {"succeeded":true}']);
  });

  test('[ENG-CHK4] fails when its script does', async () => {
    const { walk, contents, world } = testBuild(checkPlan('1', { name: 'repo' }), {
      repo: { stderr: 'super broken\n', exit: 1 },
    });
    expect(await walk().outcome).toEqual({ status: 'failed' });
    expect(shortEvents(contents.events).at(-1)).toBe('1 finish {"succeeded":false}');
    expect([...world.saved]).toEqual(['["check failed","repo"]']);
  });

  test('[ENG-CHK5] errors when its script cannot be run', async () => {
    const { walk, contents, world } = testBuild(checkPlan('1', { name: 'repo' }), { repo: { error: 'no such image' } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('run check: no such image');
    expect([...world.saved]).toEqual(['["check failed","repo"]']);
  });

  test.each([
    ['its own', '10s', 10_000],
    ['an hour, when it has none,', undefined, 3_600_000],
  ])('[ENG-CHK6] fails after %s timeout', async (_whose, timeout, ms) => {
    const { walk, contents, clock, world } = testBuild(
      checkPlan('1', { name: 'repo', ...(timeout ? { timeout } : {}) }),
      {
        repo: { untilInterrupted: '' },
      },
    );
    const { outcome } = walk();
    await clock.advance(ms - 1);
    expect(world.saved.size).toBe(0);
    await clock.advance(1);
    expect(await outcome).toEqual({ status: 'failed' });
    expect(lastError(contents)).toBe('timeout exceeded');
    expect([...world.saved]).toEqual(['["check failed","repo"]']);
  });

  test('[ENG-CHK7] names the unknown variable of its source', async () => {
    const { walk, contents } = testBuild(checkPlan('1', { name: 'repo', source: { key: '((nope))' } }));
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('resource config creds evaluation: undefined vars: nope');
  });
});
