import { arch } from 'node:os';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { CONCOURSE, concourseSource } from '@seaplane/dev-toolchain/concourse.ts';
import { goBuild } from '@seaplane/dev-toolchain/go.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

export interface Fly {
  /** The program itself. */
  readonly program: string;
  /** A directory with fly-OS-ARCH.tgz in it, as a server offers it at /api/v1/cli. */
  readonly artifacts: string;
}

export const FLY_BUILD = { name: 'go/fly', inputs: [CONCOURSE.version] };

/**
 * Builds `fly` from Concourse's sources, once: about two minutes on two cores. Without a version it is a development
 * build, which does not compare its version with the server's.
 */
export async function buildFly(progress: Progress, version?: string): Promise<Fly> {
  const directory = await buildOnce({
    ...(version ? { name: 'go/fly-released', inputs: [CONCOURSE.version, version] } : FLY_BUILD),
    progress,
    build: async (into) => {
      await goBuild({
        dir: await concourseSource(),
        packages: ['./fly'],
        output: join(into, 'fly'),
        linkerFlags: version ? `-X ${CONCOURSE.path}.Version=${version}` : '',
      });
      await run('tar', ['-czf', join(into, `fly-${process.platform}-${goArch()}.tgz`), '-C', into, 'fly']);
    },
  });
  return { program: join(directory, 'fly'), artifacts: directory };
}

function goArch(): string {
  return arch() === 'x64' ? 'amd64' : arch();
}
