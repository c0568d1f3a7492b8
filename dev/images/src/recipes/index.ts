import type { ImageName } from '../image-names.ts';
import type { Recipe } from '../recipe.ts';
import { baggageclaim } from './baggageclaim.ts';
import { busybox } from './busybox.ts';
import { debianGit } from './debian-git.ts';
import { mock } from './mock.ts';
import { pause } from './pause.ts';
import { scratch } from './scratch.ts';

export const RECIPES: Readonly<Record<ImageName, Recipe>> = {
  pause,
  busybox,
  scratch,
  'debian-git': debianGit,
  mock,
  baggageclaim,
};
