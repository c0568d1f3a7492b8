import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@seaplane/db/testing';
import { type ClusterBinaries, clusterBinaries, layoutOf, targetKubeconfig, up } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { freePort } from '@seaplane/web/testing';
import type { WitnessAddress } from '../builds/scripts.ts';
import { AnyWeb } from './any-web.ts';
import { type Kubectl, kubectl } from './pods.ts';
import { SMALL_STORE, SmallDisk } from './small-disk.ts';
import { WebSlot } from './web-slot.ts';
import { Witness } from './witness.ts';

export const NAMESPACE = 'chaos';

/** Everything that a run has: a namespace of a cluster, a database, two webs on it, a witness. */
export interface Place extends Kubectl, AsyncDisposable {
  readonly index: number;
  readonly binaries: ClusterBinaries;
  /** The components of the cluster that were killed and do not answer yet. */
  readonly away: Set<string>;
  readonly directory: string;
  /** Holds what the store keeps. */
  readonly disk: SmallDisk;
  readonly postgres: EmbeddedPostgres;
  readonly webs: readonly WebSlot[];
  readonly api: AnyWeb;
  readonly witness: Witness;
  readonly witnessAddress: WitnessAddress;
}

export async function openPlace(index: number, keep: boolean, progress: Progress): Promise<Place> {
  const cluster = await up(index, progress);
  const admin: Kubectl = { kubectl: cluster.kubectl, kubeconfig: cluster.kubeconfig, namespace: NAMESPACE };
  await kubectl(admin, ['delete', 'namespace', NAMESPACE, '--ignore-not-found']); // an earlier run was killed
  const disk = await SmallDisk.make(index, admin);
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, cluster.kubectl, progress);
  const directory = await mkdtemp(join(tmpdir(), 'chaos-'));
  await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
  const targetsFile = join(directory, 'targets.json');
  const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
  await writeFile(
    targetsFile,
    JSON.stringify([{ name: 'chaos', kubeconfig, namespace: NAMESPACE, images, store: SMALL_STORE }]),
  );
  const postgres = await EmbeddedPostgres.start({ directory: join(directory, 'postgres'), settings: {} });
  const witness = await Witness.listen();
  const common = { dataDir: join(directory, 'data'), targetsFile, databaseUrl: postgres.url };
  const webs = [
    new WebSlot('web 1', { ...common, port: await freePort() }),
    new WebSlot('web 2', { ...common, port: await freePort() }),
  ];
  progress('starting two webs ...');
  for (const web of webs) await web.start();
  return {
    ...admin,
    index,
    away: new Set(),
    binaries: await clusterBinaries(progress),
    directory,
    disk,
    postgres,
    webs,
    api: new AnyWeb(webs.map(({ url }) => url)),
    witness,
    witnessAddress: { host: layoutOf(index).hostIp, port: witness.port },
    async [Symbol.asyncDispose]() {
      for (const web of webs) await web[Symbol.asyncDispose]();
      for (const { name, log } of webs) await writeFile(join(directory, `${name.replace(' ', '-')}.log`), log);
      await postgres.stop();
      await witness[Symbol.asyncDispose]();
      if (keep) return progress(`kept: ${directory} and the namespace ${NAMESPACE} of cluster ${index}`);
      await kubectl(admin, ['delete', 'namespace', NAMESPACE, '--ignore-not-found']);
      await disk[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
