import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '@seaplane/dev-toolchain/file-lock.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { type RunOptions, type RunResult, run } from '@seaplane/dev-toolchain/run.ts';
import { down } from '../down.ts';
import { whyNoCluster } from '../host/requirements.ts';
import { kubectlBinary, whyNoKubectl } from '../kubernetes/binaries.ts';
import { layoutOf, registriesDirectory } from '../layout.ts';
import { up } from '../up.ts';
import { Leases } from './leases.ts';

/** A number that developers do not use, so that tests and a developer's own clusters stay out of each other's way. */
const TEST_CLUSTER_INDEX = 7;

const LEASES = `${layoutOf(TEST_CLUSTER_INDEX).state}.leases`;
const LEASES_LOCK = `${LEASES}.lock`;
const RUN_PID = 'SEAPLANE_TEST_RUN_PID';

/** A real cluster for tests: the one `KUBECONFIG` names, or a development cluster of their own. */
export interface TestCluster {
  readonly kubeconfig: string;
  /** Runs kubectl as the kubeconfig's user; throws when it fails unless `options` say otherwise. */
  kubectl(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Undefined for a cluster that `KUBECONFIG` names. */
  readonly registries?: TestRegistries;
}

/** Registries of tests, on this machine. */
export interface TestRegistries {
  /** The address of this machine for nodes and pods. */
  readonly address: string;
  /** Has nodes trust the registry `HOST:PORT`, whose certificate is of this authority. */
  trust(host: string, authority: string): Promise<void>;
}

/** Why tests have no cluster here, in words for a person; undefined when they can have one. */
export function whyNoTestCluster(): string | undefined {
  return process.env['KUBECONFIG'] ? whyNoKubectl() : whyNoCluster();
}

/** Brings the tests' cluster up, or finds it up. The cluster runs until the last test run that uses it has ended. */
export async function testCluster(progress: Progress): Promise<TestCluster> {
  const own = process.env['KUBECONFIG'];
  const { kubeconfig, kubectl } = own
    ? { kubeconfig: own, kubectl: await kubectlBinary(progress) }
    : await withFileLock(LEASES_LOCK, async () => {
        await new Leases(LEASES).take(Number(process.env[RUN_PID] ?? process.pid));
        return up(TEST_CLUSTER_INDEX, progress);
      });
  return {
    kubeconfig,
    kubectl: (args, options) => run(kubectl, ['--kubeconfig', kubeconfig, ...args], options),
    ...(own ? {} : { registries: testRegistries() }),
  };
}

function testRegistries(): TestRegistries {
  const layout = layoutOf(TEST_CLUSTER_INDEX);
  return {
    address: layout.hostIp,
    async trust(host, authority) {
      const dir = join(registriesDirectory(layout), host);
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'ca.crt'), authority);
    },
  };
}

/** For the process that runs the tests, before it starts their workers. */
export function announceTestRun(): void {
  process.env[RUN_PID] = String(process.pid);
}

/** At the end of the run. */
export async function stopTestCluster(progress: Progress): Promise<void> {
  if (process.env['KUBECONFIG'] || whyNoCluster()) return;
  await withFileLock(LEASES_LOCK, async () => {
    const leases = new Leases(LEASES);
    await leases.giveBack(process.pid);
    if (!(await leases.inUse())) await down(TEST_CLUSTER_INDEX, progress);
  });
}
