import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** One entry of a file system to lay down. Modes are always set, whatever the umask. */
export type Entry =
  | { readonly dir: true; readonly mode?: number }
  | { readonly text: string; readonly mode?: number }
  | { readonly copyOf: string; readonly mode?: number }
  | { readonly link: string };

/** Lays entries down below `root`, in order; directories above an entry are made with mode 755. */
export async function layTree(root: string, entries: Readonly<Record<string, Entry>>): Promise<void> {
  for (const [path, entry] of Object.entries(entries)) {
    const at = join(root, path);
    await makeDirectory(root, dirname(path));
    if ('link' in entry) {
      await symlink(entry.link, at);
      continue;
    }
    if ('dir' in entry) await makeDirectory(root, path);
    else if ('text' in entry) await writeFile(at, entry.text);
    else await copyFile(entry.copyOf, at);
    await chmod(at, entry.mode ?? ('text' in entry ? 0o644 : 0o755));
  }
}

async function makeDirectory(root: string, path: string): Promise<void> {
  if (path === '.' || path === '/') return;
  await makeDirectory(root, dirname(path));
  const at = join(root, path);
  if (await mkdir(at, { recursive: true })) await chmod(at, 0o755);
}
