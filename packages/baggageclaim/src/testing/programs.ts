import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { ensureCompiler } from '@seaplane/dev-toolchain/testing/ensure-compiler.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const C_FLAGS = ['-std=c17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O2', '-static'];

/** Compiles a folder of C sources into one static program, in a new directory, and returns its path. */
export async function compileC(dir: string): Promise<string> {
  await ensureCompiler(stderrProgress('test'));
  const sources = readdirSync(dir).filter((name) => name.endsWith('.c'));
  const output = join(temporaryDirectory(), 'program');
  execFileSync('gcc', [...C_FLAGS, '-o', output, ...sources], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  return output;
}

export function compileSupervisor(): Promise<string> {
  return compileC(join(ROOT, 'packages/supervisor/src'));
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
