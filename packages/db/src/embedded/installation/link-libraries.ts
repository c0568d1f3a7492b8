import { readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { codeOf } from '../../errors.ts';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * An npm package cannot hold symbolic links, so PostgreSQL's package lists those its libraries need and expects an
 * install script to make them. We run no install scripts and make them here. Safe to do at the same time in several
 * processes, and again; a link that is there and leads to a file is left alone.
 */
export async function linkLibraries(packageRoot: string): Promise<void> {
  for (const { source, target } of await listLinks(packageRoot)) {
    const path = join(packageRoot, target);
    await makeLink(relative(dirname(path), join(packageRoot, source)), path);
  }
}

/** The same links, in a directory of their own, for when the package cannot be written to. */
export async function linkLibrariesInto(directory: string, packageRoot: string): Promise<void> {
  for (const { source, target } of await listLinks(packageRoot)) {
    await makeLink(join(packageRoot, source), join(directory, basename(target)));
  }
}

export function isReadOnly(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '');
}

async function listLinks(packageRoot: string): Promise<Link[]> {
  return JSON.parse(await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
}

async function makeLink(to: string, path: string): Promise<void> {
  if (await exists(path)) return;
  // Made under another name and renamed: replaces a dangling link, and whoever comes first or last, it is whole.
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await symlink(to, temporary);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
