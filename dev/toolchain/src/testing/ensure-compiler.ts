import { ensureDebianPackages } from '../debian-packages.ts';
import type { Progress } from '../progress.ts';
import { COMPILER_PACKAGES, hasCompiler } from './requirements.ts';

/** Installs a C compiler unless there is one. */
export async function ensureCompiler(progress: Progress): Promise<void> {
  if (!hasCompiler()) await ensureDebianPackages(COMPILER_PACKAGES, progress);
}
