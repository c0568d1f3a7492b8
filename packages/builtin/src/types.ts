import { gitType } from './git/git-type.ts';
import { registryImageType } from './registry-image/registry-image-type.ts';
import type { ResourceType } from './request.ts';
import { timeType } from './time/time-type.ts';

export const TYPES: Readonly<Record<string, ResourceType>> = {
  git: gitType,
  'registry-image': registryImageType,
  time: timeType,
};
