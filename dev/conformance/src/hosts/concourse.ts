import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '@seaplane/dev-toolchain/cache-dir.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { withFileLock } from '@seaplane/dev-toolchain/file-lock.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { makeCgroups, removeCgroups } from '../concourse/cgroups.ts';
import { buildFly } from '../concourse/fly.ts';
import { LAYOUT } from '../concourse/layout.ts';
import { Namespaces } from '../concourse/namespaces.ts';
import { startPostgres } from '../concourse/postgres.ts';
import { concoursePrograms, whyNoPrograms } from '../concourse/programs.ts';
import { layOutResourceTypes } from '../concourse/resource-types.ts';
import { CONCOURSE_URL, makeKeys, startWeb, startWorker } from '../concourse/server.ts';
import type { Host, RunningHost } from './host.ts';

const DEBIAN_PACKAGES = ['postgresql', 'containernetworking-plugins', 'iptables', 'iproute2', 'util-linux', 'tini'];

/** The real Concourse 7.14.2: web, one containerd worker and PostgreSQL, to compare with. One at a time on a machine. */
export const concourseHost: Host = {
  name: 'concourse',
  whyNot() {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return 'Concourse runs containers: it needs Linux and root (namespaces, cgroups, mounts)';
    }
    return whyNoPackages(DEBIAN_PACKAGES) ?? whyNoPrograms();
  },
  async start(progress) {
    await ensureDebianPackages(DEBIAN_PACKAGES, progress);
    const release = await lock(progress);
    try {
      return await startLocked(release, progress);
    } catch (error) {
      await release();
      throw error;
    }
  },
};

async function startLocked(release: () => Promise<void>, progress: Progress): Promise<RunningHost> {
  await removeLeftovers();
  for (const name of ['log', 'keys', 'bin', 'types', 'worker']) {
    await mkdir(join(LAYOUT.state, name), { recursive: true });
  }
  const fly = await buildFly(progress);
  const programs = await concoursePrograms(join(LAYOUT.state, 'bin'), progress);
  const resourceTypes = join(LAYOUT.state, 'types');
  await layOutResourceTypes(resourceTypes, progress);

  const namespaces = await Namespaces.start(await makeCgroups());
  const stop = async () => {
    await namespaces[Symbol.asyncDispose]();
    await keepLogs();
    await removeLeftovers();
    await release();
  };
  try {
    await startPostgres(namespaces);
    progress('PostgreSQL is ready');
    await makeKeys(namespaces, programs);
    await startWeb(namespaces, programs, fly.artifacts);
    progress('web is ready');
    await startWorker(namespaces, programs, resourceTypes);
    progress(`the worker is ready; Concourse is at ${CONCOURSE_URL}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: CONCOURSE_URL, env: { RUNTIME: 'containerd' }, stop };
}

/** After a crash only files and empty cgroups can be left: the kernel has removed the rest with the namespaces. */
async function removeLeftovers(): Promise<void> {
  await removeCgroups();
  await rm(LAYOUT.state, { recursive: true, force: true });
}

/** The last run's logs outlive its state: a failure is often understood only afterwards. */
async function keepLogs(): Promise<void> {
  const kept = join(cacheDir(), 'conformance', 'concourse-logs');
  await rm(kept, { recursive: true, force: true });
  await cp(join(LAYOUT.state, 'log'), kept, { recursive: true });
}

/** Takes the machine-wide lock and returns what gives it back. */
async function lock(progress: Progress): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const wanted = Promise.withResolvers<void>();
  const whole = withFileLock(
    LAYOUT.lockFile,
    async () => {
      held.resolve();
      await wanted.promise;
    },
    () => progress('waiting for another process that runs Concourse ...'),
  );
  await Promise.race([held.promise, whole]);
  return () => {
    wanted.resolve();
    return whole;
  };
}
