import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { containerBinaries } from '@seaplane/dev-cluster';
import { buildOnce, isBuilt } from '@seaplane/dev-toolchain/build-once.ts';
import { CONCOURSE, CONCOURSE_VERSION, concourseSource } from '@seaplane/dev-toolchain/concourse.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { goBuild } from '@seaplane/dev-toolchain/go.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoGo } from '@seaplane/dev-toolchain/requirements.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

export interface ConcoursePrograms {
  readonly concourse: string;
  /** Directory with containerd, its shim, ctr, runc and Concourse's init. */
  readonly containers: string;
}

/**
 * Builds Concourse (about two and a half minutes on two cores, once) and puts what its worker runs into `into`.
 * They are not beside each other: the worker puts `../bin` of its own directory first in PATH, before our runc.
 */
export async function concoursePrograms(into: string, progress: Progress): Promise<ConcoursePrograms> {
  const server = await buildServer(progress);
  const { containerd, runc } = await containerBinaries(progress);
  for (const name of ['containerd', 'containerd-shim-runc-v2', 'ctr']) {
    await symlink(join(containerd, name), join(into, name));
  }
  await symlink(join(server, 'init'), join(into, 'init'));
  if (await mayGrantSysResource()) await symlink(join(runc, 'runc'), join(into, 'runc'));
  else await writeFile(join(into, 'runc'), runcWithoutSysResource(join(runc, 'runc')), { mode: 0o755 });
  return { concourse: join(server, 'concourse'), containers: into };
}

const SERVER_BUILD = { name: 'go/concourse', inputs: [CONCOURSE.version] };

/** Why Concourse can't be built here; undefined when it can, or has been. */
export function whyNoPrograms(): string | undefined {
  return isBuilt(SERVER_BUILD) ? undefined : whyNoGo();
}

async function buildServer(progress: Progress): Promise<string> {
  return buildOnce({
    ...SERVER_BUILD,
    progress,
    build: async (into) => {
      await ensureDebianPackages(['gcc', 'libc6-dev'], progress);
      const source = await concourseSource();
      await run('gcc', ['-O2', '-static', '-o', join(into, 'init'), join(source, 'cmd', 'init', 'init.c')]);
      await goBuild({
        dir: source,
        packages: ['./cmd/concourse'],
        output: join(into, 'concourse'),
        linkerFlags: `-X ${CONCOURSE.path}.Version=${CONCOURSE_VERSION}`,
      });
    },
  });
}

/** Whether root may hand on CAP_SYS_RESOURCE (24): in a container or a sandbox, root often does not hold it. */
async function mayGrantSysResource(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8');
  const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return ((bounding >> 24n) & 1n) === 1n;
}

/** Concourse asks for that capability for each privileged container, and runc fails if it cannot grant it. */
function runcWithoutSysResource(runc: string): string {
  return `#!/bin/sh
before=
for word in "$@"; do
  case "$before" in
    --bundle) sed -i 's/"CAP_SYS_RESOURCE",//g' "$word/config.json" ;;
    --process) sed -i 's/"CAP_SYS_RESOURCE",//g' "$word" ;;
  esac
  before=$word
done
exec '${runc}' "$@"
`;
}
