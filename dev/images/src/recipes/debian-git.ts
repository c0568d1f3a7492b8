import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { type DebianArchives, debianArchives, debianClosure } from '../debian-archives.ts';
import { layDebianRoot } from '../debian-root.ts';
import { DEFAULT_PATH, type Recipe } from '../recipe.ts';
import { layTree } from '../tree.ts';

const PACKAGES = [
  'base-files',
  'base-passwd',
  'bash',
  'coreutils',
  'dash',
  'findutils',
  'git',
  'grep',
  'gzip',
  'sed',
  'tar',
];

/** git needs Perl for a few of its lesser commands only, and nothing here installs packages. */
const LEFT_OUT = /^(perl|libperl|liberror-perl|git-man|dpkg|libdebconfclient|mawk|gcc-\d+-base)/;

export const debianGit: Recipe = {
  summary: 'Debian with git: an image as people bring it, of many files and shared libraries',
  async prepare(progress) {
    const archives = await gitArchives(progress);
    return {
      config: { Cmd: ['/bin/bash'], Env: [DEFAULT_PATH, 'GIT_PAGER=cat'] }, // there is no `less`
      inputs: archives.flatMap(({ versions }) => versions),
      fill: (rootfs) => layGitRoot(rootfs, archives),
    };
  },
};

/** Debian with git and certificates to trust. */
export async function gitArchives(progress: Progress): Promise<DebianArchives[]> {
  const closure = await debianClosure(PACKAGES, progress);
  const system = { ...closure, versions: closure.versions.filter((version) => !LEFT_OUT.test(version)) };
  return [system, await debianArchives(['ca-certificates'], progress)];
}

export async function layGitRoot(rootfs: string, archives: readonly DebianArchives[]): Promise<void> {
  await layDebianRoot(rootfs, archives);
  await configure(rootfs);
}

/** Does the part of the packages' installation scripts that matters here. */
async function configure(rootfs: string): Promise<void> {
  const accounts = join(rootfs, 'usr/share/base-passwd');
  await layTree(rootfs, {
    'etc/passwd': { copyOf: join(accounts, 'passwd.master'), mode: 0o644 },
    'etc/group': { copyOf: join(accounts, 'group.master'), mode: 0o644 },
    'etc/ssl/certs/ca-certificates.crt': { text: await certificateBundle(rootfs) },
  });
}

async function certificateBundle(rootfs: string): Promise<string> {
  const dir = join(rootfs, 'usr/share/ca-certificates');
  const files = (await readdir(dir, { recursive: true })).filter((file) => file.endsWith('.crt')).sort();
  const certificates = await Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
  return certificates.join('');
}
