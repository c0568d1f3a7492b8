import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { codeInputs, ROOT } from '../code-inputs.ts';
import { debianClosure } from '../debian-archives.ts';
import { layDebianRoot } from '../debian-root.ts';
import { DEFAULT_PATH, type Recipe } from '../recipe.ts';
import { isCompiled, SUPERVISOR_BIN } from '../supervisor-programs.ts';
import { layTree } from '../tree.ts';

const MAIN = 'packages/baggageclaim/src/main.ts';
const SUPERVISOR = join(SUPERVISOR_BIN, `linux-${process.arch}`);
/** Only the chunks that are needed are loaded, and they are parsed already: this takes a quarter of the time to start. */
const FAST = ['--minify', '--splitting', '--bytecode', '--format=esm'];
const FLAGS = ['--compile', ...FAST, '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];

export const baggageclaim: Recipe = {
  summary: 'the sidecar, which is also the store, compiled, with the tar it runs and the supervisor it brings',
  async prepare(progress) {
    if (!(await isCompiled()))
      throw new Error('the supervisor is older than its sources: npm run images -- supervisor');
    const archives = await debianClosure(['libc6', 'tar'], progress);
    return {
      config: { Entrypoint: ['/usr/bin/baggageclaim'], Env: [DEFAULT_PATH] },
      // The lock file pins Bun and every library that is compiled in.
      inputs: [
        ...archives.versions,
        await readFile(join(ROOT, 'package-lock.json')),
        ...(await codeInputs('packages/baggageclaim/src')),
        ...(await codeInputs('packages/oci/src')),
        await readFile(SUPERVISOR),
      ],
      async fill(rootfs, scratch) {
        const program = join(scratch, 'baggageclaim');
        await run(bun(), ['build', ...FLAGS, '--outfile', program, MAIN], { cwd: ROOT });
        await layDebianRoot(rootfs, [archives]);
        await layTree(rootfs, { 'usr/bin/baggageclaim': { copyOf: program }, supervisor: { copyOf: SUPERVISOR } });
      },
    };
  },
};

/** Bun comes as an npm package for each processor. */
function bun(): string {
  const name = process.arch === 'arm64' ? 'bun-linux-aarch64' : 'bun-linux-x64';
  return join(ROOT, 'node_modules/@oven', name, 'bin/bun');
}
