import { expect, test } from 'vitest';
import { IMAGE_NAMES, imageRef, isImageName } from './image-names.ts';
import { RECIPES } from './recipes/index.ts';

test('every image has a recipe and a name of its own', () => {
  expect(Object.keys(RECIPES).sort()).toEqual([...IMAGE_NAMES].sort());
  expect(new Set(IMAGE_NAMES.map(imageRef)).size).toBe(IMAGE_NAMES.length);
  expect(imageRef('debian-git')).toBe('seaplane.test/debian-git:dev');
});

test('only those names are known', () => {
  expect(isImageName('mock')).toBe(true);
  expect(isImageName('alpine')).toBe(false);
});
