import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { codeInputs, ROOT } from '../code-inputs.ts';
import { DEFAULT_PATH, type Recipe } from '../recipe.ts';
import { isCompiled, SUPERVISOR_BIN } from '../supervisor-programs.ts';
import { layTree } from '../tree.ts';
import { gitArchives, layGitRoot } from './debian-git.ts';

const MAIN = 'packages/baggageclaim/src/main.ts';
/** The scripts of a built-in resource type are links to this one. */
const ACTION = join(ROOT, 'packages/baggageclaim/resource/action');
const SUPERVISOR = join(SUPERVISOR_BIN, `linux-${process.arch}`);
/** Only the chunks that are needed are loaded, and they are parsed already: this takes a quarter of the time to start. */
const FAST = ['--minify', '--splitting', '--bytecode', '--format=esm'];
const FLAGS = ['--compile', ...FAST, '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];

export const baggageclaim: Recipe = {
  summary: 'the sidecar, which is also the store, compiled, with the tar and git it runs and the supervisor it brings',
  async prepare(progress) {
    if (!(await isCompiled()))
      throw new Error('the supervisor is older than its sources: npm run images -- supervisor');
    const archives = await gitArchives(progress);
    return {
      config: { Entrypoint: ['/usr/bin/baggageclaim'], Env: [DEFAULT_PATH] },
      // The lock file pins Bun and every library that is compiled in.
      inputs: [
        ...archives.flatMap(({ versions }) => versions),
        await readFile(join(ROOT, 'package-lock.json')),
        ...(await codeInputs('packages/baggageclaim/src')),
        ...(await codeInputs('packages/builtin/src')),
        ...(await codeInputs('packages/oci/src')),
        await readFile(ACTION),
        await readFile(SUPERVISOR),
      ],
      async fill(rootfs, scratch) {
        const program = join(scratch, 'baggageclaim');
        await run(bun(), ['build', ...FLAGS, '--outfile', program, MAIN], { cwd: ROOT });
        await layGitRoot(rootfs, archives);
        await layTree(rootfs, {
          'usr/bin/baggageclaim': { copyOf: program },
          supervisor: { copyOf: SUPERVISOR },
          'opt/resource/action': { copyOf: ACTION },
          'opt/resource/check': { link: 'action' },
          'opt/resource/in': { link: 'action' },
          'opt/resource/out': { link: 'action' },
        });
      },
    };
  },
};

/** Bun comes as an npm package for each processor. */
function bun(): string {
  const name = process.arch === 'arm64' ? 'bun-linux-aarch64' : 'bun-linux-x64';
  return join(ROOT, 'node_modules/@oven', name, 'bin/bun');
}
