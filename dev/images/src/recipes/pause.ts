import { join } from 'node:path';
import { cInputs, compileC } from '../compile-c.ts';
import type { Recipe } from '../recipe.ts';

const SOURCES = join(import.meta.dirname, '../../pause');

export const pause: Recipe = {
  summary: 'what holds a pod together: one program that waits and reaps',
  async prepare(progress) {
    return {
      config: { Entrypoint: ['/pause'] },
      inputs: await cInputs(SOURCES, progress),
      fill: (rootfs) => compileC({ dir: SOURCES, output: join(rootfs, 'pause') }),
    };
  },
};
