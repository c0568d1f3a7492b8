import { join } from 'node:path';
import { cInputs, compileC } from '../compile-c.ts';
import type { Recipe } from '../recipe.ts';

const SOURCES = join(import.meta.dirname, '../../scratch');

export const scratch: Recipe = {
  summary: 'an image with nothing in it but one program: no shell, no /etc/passwd, no /tmp',
  async prepare(progress) {
    return {
      config: { Entrypoint: ['/hello'] },
      inputs: await cInputs(SOURCES, progress),
      fill: (rootfs) => compileC({ dir: SOURCES, output: join(rootfs, 'hello') }),
    };
  },
};
