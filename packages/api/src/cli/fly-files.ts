import { readdir } from 'node:fs/promises';

export interface FlyFile {
  readonly name: string;
  readonly platform: string;
  readonly arch: string;
  readonly packing: 'plain' | 'tgz' | 'zip';
  /** Absent in the names that Concourse's web has them under; present in those of its releases. */
  readonly version?: string;
}

const NAME = /^fly(?:-(\d+\.\d+\.\d+))?-([a-z0-9]+)-([a-z0-9]+)(\.exe|\.tgz|\.zip)?$/;
const PACKINGS = { '.tgz': 'tgz', '.zip': 'zip' } as const;

/** The programs in the directory, the one to prefer first: without a version in its name, then the newest; not packed. */
export async function listFly(directory: string): Promise<FlyFile[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap(parseName).sort(byPreference);
}

function parseName(name: string): FlyFile[] {
  const [, version, platform, arch, suffix = ''] = NAME.exec(name) ?? [];
  if (platform === undefined || arch === undefined) return [];
  const packing = suffix === '.tgz' || suffix === '.zip' ? PACKINGS[suffix] : 'plain';
  return [{ name, platform, arch, packing, ...(version ? { version } : {}) }];
}

function byPreference(a: FlyFile, b: FlyFile): number {
  return (
    Number(Boolean(a.version)) - Number(Boolean(b.version)) ||
    (b.version ?? '').localeCompare(a.version ?? '', 'en', { numeric: true }) ||
    Number(a.packing !== 'plain') - Number(b.packing !== 'plain')
  );
}
