import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BaggageclaimClient, createSigner, generateKeys } from '@seaplane/baggageclaim';
import { layoutOf, requireInit, runInside, targetKubeconfig, up } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { openTestHost, parseTarget } from '@seaplane/kubernetes/testing';
import { type BenchOptions, NAMESPACE } from './bench-step-start.ts';
import { median } from './median.ts';
import { table } from './table.ts';
import { timed } from './timed.ts';

const FILES = 64;
const MEGABYTES = 256;
const TEAM = '1';
const PORT = 9000;
/** The receiver listens a moment after it was started. */
const DIALS = 500;

/** An artifact goes from the store of one cluster to that of another, and the same files by `tar | tar` from node to node. */
export async function benchCrossing({ index, kubectl, rounds, progress, ...stop }: BenchOptions): Promise<string> {
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout((rounds + 2) * 120_000)]);
  const other = (index + 1) % 10;
  await up(other, progress);
  const signer = createSigner(generateKeys().privateKey);
  const openHost = async (cluster: number) => {
    const kubeconfig = await targetKubeconfig(cluster, NAMESPACE, kubectl, progress);
    const images = { baggageclaim: imageRef('baggageclaim') };
    const template = { dnsPolicy: 'Default' };
    const target = parseTarget({ name: 'bench', namespace: NAMESPACE, kubeconfig, images, template });
    return openTestHost(target, { signer });
  };
  using east = await openHost(index);
  using west = await openHost(other);
  await using tree = await mkdtempDisposable(join(tmpdir(), 'bench-crossing-'));
  const bytes = randomBytes((MEGABYTES / FILES) * 1024 * 1024);
  for (let i = 0; i < FILES; i++) await writeFile(join(tree.path, `file-${i}`), bytes);

  const stores = { from: await east.store(), to: await west.store() };
  await stores.from.putArtifact('bench', TEAM, archiveOf(tree.path), signal);
  const series = { crossing: [] as number[], tar: [] as number[] };
  try {
    for (let round = 0; round <= rounds; round++) {
      const crossing = await timed(() => cross(stores.from, stores.to, `bench-${round}`, signal));
      const tar = await timed(() => tarToTar(index, other, tree.path));
      if (round > 0) {
        series.crossing.push(crossing); // the first round warms up
        series.tar.push(tar);
      }
      progress(
        `${round === 0 ? 'warm' : `round ${round} of ${rounds}`}: ${crossing.toFixed(0)} and ${tar.toFixed(0)} ms`,
      );
    }
  } finally {
    await run(kubectl, [
      ...['--kubeconfig', layoutOf(other).kubeconfig],
      ...['delete', 'namespace', NAMESPACE, '--ignore-not-found'],
    ]);
  }
  return report(series.crossing, series.tar);
}

/** As web does it. The name differs each time, because a store takes an artifact once. */
async function cross(from: BaggageclaimClient, to: BaggageclaimClient, id: string, signal: AbortSignal): Promise<void> {
  await to.putArtifact(id, TEAM, await from.readArtifact('bench', signal), signal);
  await to.deleteArtifact(id, signal);
}

function archiveOf(directory: string): ReadableStream<Uint8Array> {
  const { stdout } = spawn('tar', ['-C', directory, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
}

/** Two programs, whose output and input are the two ends of one connection, in the networks of the clusters. */
async function tarToTar(from: number, to: number, source: string): Promise<void> {
  await using target = await mkdtempDisposable(join(tmpdir(), 'bench-crossing-'));
  const received = perlIn(
    to,
    `my $listener = IO::Socket::INET->new(Listen => 1, LocalPort => ${PORT}, ReuseAddr => 1) or die $@;
     my $socket = $listener->accept;
     open STDIN, '<&', $socket;
     exec 'tar', '-C', '${target.path}', '-x';`,
  );
  received.catch(() => {}); // it is awaited below
  await perlIn(
    from,
    `my $socket;
     for (1 .. ${DIALS}) {
       $socket = IO::Socket::INET->new(PeerHost => '${layoutOf(to).nodeIp}', PeerPort => ${PORT}) and last;
       select undef, undef, undef, 0.02;
     }
     $socket or die "nobody listens: $@";
     open STDOUT, '>&', $socket;
     exec 'tar', '-C', '${source}', '-c', '.';`,
  );
  await received;
}

async function perlIn(cluster: number, script: string): Promise<void> {
  await runInside(await requireInit(cluster), ['perl', '-MIO::Socket::INET', '-e', script]);
}

function report(crossing: readonly number[], tar: readonly number[]): string {
  const rate = (times: readonly number[]) => MEGABYTES / (median(times) / 1000);
  const row = (name: string, times: readonly number[]) => [
    name,
    rate(times).toFixed(0),
    (rate(times) / rate(tar)).toFixed(2),
  ];
  return table([
    [`${MEGABYTES} MB in ${FILES} files`, 'MB/s', 'ratio'],
    row('tar | tar, from node to node', tar),
    row('from store to store through web', crossing),
  ]);
}
