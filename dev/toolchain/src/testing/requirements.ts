import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isRoot } from '../debian-packages.ts';
import { whyNoPackages } from '../requirements.ts';

// As in ../requirements.ts, for what only tests need.

export const COMPILER_PACKAGES: readonly string[] = ['gcc', 'libc6-dev'];

export function whyNoRoot(): string | undefined {
  if (process.platform !== 'linux') return `they need Linux, and this is ${process.platform}`;
  return isRoot() ? undefined : 'they set up users, mounts and namespaces, and this is not root';
}

/** On systems other than Debian any gcc will do. */
export function whyNoCompiler(): string | undefined {
  if (process.platform !== 'linux') return `they need Linux, and this is ${process.platform}`;
  return hasCompiler() ? undefined : whyNoPackages(COMPILER_PACKAGES);
}

export function hasCompiler(): boolean {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return directories.some((directory) => existsSync(join(directory, 'gcc')));
}
