import type { ImageName } from '../image-names.ts';
import type { Recipe } from '../recipe.ts';
import { busybox } from './busybox.ts';
import { mock } from './mock.ts';
import { pause } from './pause.ts';
import { scratch } from './scratch.ts';

export const RECIPES: Readonly<Record<ImageName, Recipe>> = {
  pause,
  busybox,
  scratch,
  mock,
};
