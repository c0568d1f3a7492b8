import { isRoot } from '../debian-packages.ts';
import { whyNoPackages } from '../requirements.ts';

// As in ../requirements.ts, for what only tests need.

const COMPILER_PACKAGES: readonly string[] = ['gcc', 'libc6-dev'];

export function whyNoRoot(): string | undefined {
  if (process.platform !== 'linux') return `they need Linux, and this is ${process.platform}`;
  return isRoot() ? undefined : 'they set up users, mounts and namespaces, and this is not root';
}

/** The images hold programs that are compiled with the libc of Debian. */
export function whyNoCompiler(): string | undefined {
  if (process.platform !== 'linux') return `they need Linux, and this is ${process.platform}`;
  return whyNoPackages(COMPILER_PACKAGES);
}
