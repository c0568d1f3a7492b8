import { type DebianArchives, unpackDebian } from './debian-archives.ts';
import { layTree } from './tree.ts';

/** Files that a container never reads. Copyright files are kept. */
const NOT_NEEDED = [
  './usr/share/bash-completion',
  './usr/share/bug',
  './usr/share/doc/*/[!c]*',
  './usr/share/doc/*/c[!o]*',
  './usr/share/doc-base',
  './usr/share/info',
  './usr/share/lintian',
  './usr/share/locale',
  './usr/share/man',
  './usr/share/menu',
  './usr/lib/*/gconv',
];

/** Unpacks packages as a root file system, without running their scripts. */
export async function layDebianRoot(root: string, archives: readonly DebianArchives[]): Promise<void> {
  // As Debian installs: all programs and libraries are below /usr.
  await layTree(root, {
    'usr/bin': { dir: true },
    'usr/sbin': { dir: true },
    'usr/lib': { dir: true },
    'usr/lib64': { dir: true },
    bin: { link: 'usr/bin' },
    sbin: { link: 'usr/sbin' },
    lib: { link: 'usr/lib' },
    lib64: { link: 'usr/lib64' },
    root: { dir: true, mode: 0o700 },
    run: { dir: true },
    tmp: { dir: true, mode: 0o1777 },
    dev: { dir: true },
    proc: { dir: true, mode: 0o555 },
    sys: { dir: true, mode: 0o555 },
  });
  for (const set of archives) await unpackDebian(set, root, NOT_NEEDED);
}
