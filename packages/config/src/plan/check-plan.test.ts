import { describe, expect, test } from 'vitest';
import { buildResourceCheckPlan, buildResourceTypeCheckPlan } from './check-plan.ts';

const resourceTypes = [
  { name: 't', type: 'mock', source: { s: 1 }, defaults: { d: 1 }, check_every: '5m0s' },
  { name: 'mock', type: 'mock', source: null },
];
const resource = { name: 'r', type: 't', source: { a: 1 }, check_timeout: '10m', tags: ['x'] };

describe('checks', () => {
  test('[CFG-CHECK1] of a resource', () => {
    expect(buildResourceCheckPlan(resource, { resourceTypes, from: { v: '1' }, skipInterval: false })).toEqual({
      id: '1',
      check: {
        name: 'r',
        type: 't',
        source: { d: 1, a: 1 },
        image: {
          base_type: 'mock',
          check_plan: expect.objectContaining({ id: '1/image-check' }),
          get_plan: expect.objectContaining({ id: '1/image-get' }),
        },
        from_version: { v: '1' },
        resource: 'r',
        timeout: '10m',
        interval: '1m0s',
        tags: ['x'],
      },
    });
  });

  test.each([
    [undefined, undefined, '1m0s'],
    [undefined, '30m0s', '30m0s'],
    ['', '30m0s', '30m0s'],
    ['never', '30m0s', 'never'],
    ['5s', '30m0s', '5s'],
  ])('[CFG-CHECK1] interval %j with default %j', (own, defaultInterval, interval) => {
    const plan = buildResourceCheckPlan(
      { ...resource, ...(own !== undefined && { check_every: own }) },
      { resourceTypes, skipInterval: false, ...(defaultInterval !== undefined && { defaultInterval }) },
    );
    expect(plan).toMatchObject({ check: { interval } });
  });

  test.each([
    [false, true, 0],
    [true, false, 1],
    [true, true, 4],
  ])('[CFG-CHECK1] asked for: %s, types too: %s', (skipInterval, skipTypeIntervals, times) => {
    const plan = buildResourceCheckPlan(resource, { resourceTypes, skipInterval, skipTypeIntervals });
    expect(JSON.stringify(plan).match(/"skip_interval":true/g)?.length ?? 0).toBe(times);
  });

  test('[CFG-CHECK1] of a type stands on its base type, even under its own name', () => {
    const [, mock] = resourceTypes as [unknown, (typeof resourceTypes)[0]];
    expect(
      buildResourceTypeCheckPlan(mock, { resourceTypes, skipInterval: true, baseTypeDefaults: { mock: { b: 1 } } }),
    ).toEqual({
      id: '1',
      check: {
        name: 'mock',
        type: 'mock',
        source: { b: 1 },
        image: { base_type: 'mock' },
        resource_type: 'mock',
        interval: '1m0s',
        skip_interval: true,
      },
    });
  });
});
