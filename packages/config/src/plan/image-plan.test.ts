import { describe, expect, test } from 'vitest';
import { buildImagePlan, imageForType } from './image-plan.ts';
import type { ResourceTypeConfig } from './plan.ts';

const types: readonly ResourceTypeConfig[] = [
  { name: 'up', type: 'mid', source: { u: 1 }, check_every: 'never', tags: ['t'] },
  { name: 'mid', type: 'mock', source: { m: 1 }, defaults: { d: 1 }, params: { p: 1 }, privileged: true },
];
const plain = { tags: undefined, skipInterval: false };

describe('types of the pipeline', () => {
  test('[CFG-IMAGE1] a base type needs no plans', () => {
    expect(imageForType('1', 'mock', types, plain)).toEqual({ base_type: 'mock' });
  });

  test('[CFG-IMAGE1] are fetched, and what they need before them', () => {
    const mid = (id: string) => ({
      base_type: 'mock',
      privileged: true,
      check_plan: {
        id: `${id}/image-check`,
        check: {
          name: 'mid',
          type: 'mock',
          source: { m: 1 },
          image: { base_type: 'mock' },
          interval: '1m0s',
          resource_type: 'mid',
          tags: ['t'],
        },
      },
      get_plan: {
        id: `${id}/image-get`,
        get: {
          name: 'mid',
          type: 'mock',
          source: { m: 1 },
          params: { p: 1 },
          image: { base_type: 'mock' },
          version_from: `${id}/image-check`,
          tags: ['t'],
        },
      },
    });
    const up = { name: 'up', type: 'mid', source: { u: 1 }, tags: ['t'] };
    expect(imageForType('1', 'up', types, { tags: ['step'], skipInterval: false })).toEqual({
      base_type: 'mock',
      check_plan: {
        id: '1/image-check',
        check: { ...up, image: mid('1/image-check'), interval: 'never', resource_type: 'up' },
      },
      get_plan: {
        id: '1/image-get',
        get: { ...up, image: mid('1/image-get'), version_from: '1/image-check' },
      },
    });
  });

  test('[CFG-IMAGE2] a type called as its base type stands on that', () => {
    const self = [{ name: 'mock', type: 'mock', source: { mirror_self: true } }];
    expect(imageForType('1', 'mock', self, plain)).toMatchObject({
      base_type: 'mock',
      get_plan: { get: { type: 'mock', image: { base_type: 'mock' } } },
    });
  });

  test('[CFG-IMAGE2] types that go round end', () => {
    const round = [
      { name: 'a', type: 'b', source: {} },
      { name: 'b', type: 'a', source: {} },
    ];
    expect(imageForType('1', 'a', round, plain)).toMatchObject({
      base_type: 'a',
      get_plan: {
        get: {
          name: 'a',
          type: 'b',
          image: { get_plan: { get: { name: 'b', type: 'a', image: { base_type: 'a' } } } },
        },
      },
    });
  });
});

describe('images of tasks', () => {
  test('[CFG-IMAGE3] are checked and got under the name image', () => {
    const task = { resource_types: types, tags: ['step'], check_skip_interval: true };
    expect(
      buildImagePlan('7', { name: 'x', type: 'mock', source: { a: 1 }, params: { p: 1 } }, task, { mock: { d: 1 } }),
    ).toEqual({
      check: {
        id: '7/image-check',
        check: {
          name: 'image',
          type: 'mock',
          source: { d: 1, a: 1 },
          image: { base_type: 'mock' },
          interval: '1m0s',
          skip_interval: true,
          tags: ['step'],
        },
      },
      get: {
        id: '7/image-get',
        get: {
          name: 'image',
          type: 'mock',
          source: { d: 1, a: 1 },
          image: { base_type: 'mock' },
          version_from: '7/image-check',
          params: { p: 1 },
          tags: ['step'],
        },
      },
    });
  });

  test('[CFG-IMAGE3] of a version need no check', () => {
    expect(
      buildImagePlan(
        '7',
        { type: 'mid', source: null, version: { v: '1' }, tags: ['own'] },
        { resource_types: types, tags: ['step'] },
      ),
    ).toEqual({
      get: {
        id: '7/image-get',
        get: {
          name: 'image',
          type: 'mid',
          source: { d: 1 },
          image: expect.objectContaining({ privileged: true, base_type: 'mock' }),
          version: { v: '1' },
          tags: ['own'],
        },
      },
    });
  });
});
