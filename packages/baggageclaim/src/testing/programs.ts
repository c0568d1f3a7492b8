import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/** The supervisor as images have it: built already, and held to its sources by a test of dev/images. */
export function supervisorProgram(): string {
  return join(ROOT, 'packages/supervisor/bin', `linux-${process.arch}`);
}

/** Is removed when the tests of this process are over. */
function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'seaplane-program-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Compiles the server as its image has it, for Bun. */
export function compileBaggageclaim(): string {
  const output = join(temporaryDirectory(), 'baggageclaim');
  const name = process.arch === 'arm64' ? 'bun-linux-aarch64' : 'bun-linux-x64';
  const bun = join(ROOT, 'node_modules/@oven', name, 'bin/bun');
  const main = join(ROOT, 'packages/baggageclaim/src/main.ts');
  // Chunks that are not needed are not loaded, and what is loaded is parsed already: a quarter of the time to start.
  const fast = ['--minify', '--splitting', '--bytecode', '--format=esm'];
  const flags = ['--compile', ...fast, '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  execFileSync(bun, ['build', ...flags, '--outfile', output, main], { stdio: ['ignore', 'pipe', 'inherit'] });
  return output;
}
