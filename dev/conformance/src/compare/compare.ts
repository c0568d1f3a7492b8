import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { buildFly } from '../concourse/fly.ts';
import type { Host, RunningHost } from '../hosts/host.ts';
import { differences } from './differences.ts';
import { type Meant, whyMeant } from './meant.ts';
import { type Observation, observe } from './observe.ts';
import { type PipelineFile, readPipelineFile } from './read-file.ts';
import type { FileReport } from './report.ts';
import { openSide, type Side } from './side.ts';

/** A build that takes longer on one of the servers is aborted. */
const BUILD_TIMEOUT_MS = 180_000;

export interface Comparison {
  readonly concourse: Host;
  readonly ours: Host;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Sets each file on the real Concourse and on our own web, runs its jobs on both, and returns what differs. */
export async function compare({ concourse, ours, files, signal, progress }: Comparison): Promise<FileReport[]> {
  const pipelines = await Promise.all(files.map(readPipelineFile));
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-compare-'));
  const running: RunningHost[] = [];
  try {
    const fly = (await buildFly(progress)).program;
    const open = async (host: Host): Promise<Side> => {
      progress(`starting ${host.name} ...`);
      const started = await host.start(progress);
      running.push(started);
      if (started.cannotRun) throw new Error(started.cannotRun);
      return openSide({ name: host.name, url: started.url, fly, home: join(directory, host.name), signal });
    };
    const sides = [await open(concourse), await open(ours)] as const;
    const reports: FileReport[] = [];
    for (const pipeline of pipelines) {
      const report = await compareTwice(
        (again) => compareFile(sides, { ...pipeline, ...again }, directory, signal),
        pipeline,
      );
      reports.push(report);
      progress(`${reports.length}/${pipelines.length} ${pipeline.path}: ${report.differences.length} differences`);
    }
    return reports;
  } finally {
    for (const host of running) await host.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Compares a file that differs a second time, as another pipeline, and reports what differs both times: the real Concourse
 * loses at times what a short process prints.
 */
export async function compareTwice(
  look: (again: Partial<PipelineFile>) => Promise<FileReport>,
  { name }: Pick<PipelineFile, 'name'>,
): Promise<FileReport> {
  const first = await look({});
  if (first.differences.length === 0) return first;
  const second = await look({ name: `${name}-again` });
  const places = new Set(first.differences.map(({ path }) => path));
  return { ...second, differences: second.differences.filter(({ path }) => places.has(path)) };
}

async function compareFile(
  sides: readonly [Side, Side],
  file: PipelineFile,
  directory: string,
  signal: AbortSignal,
): Promise<FileReport> {
  const [theirs, our] = (await Promise.all(
    sides.map((side) =>
      observe({ side, directory: join(directory, side.name), buildTimeoutMs: BUILD_TIMEOUT_MS, signal }, file),
    ),
  )) as [Observation, Observation];
  return reportOf(file.path, theirs, our);
}

export function reportOf(path: string, concourse: Observation, ours: Observation): FileReport {
  const found = differences(concourse, ours).map((difference) => [difference, whyMeant(difference)] as const);
  return {
    path,
    differences: found.filter(([, meant]) => !meant).map(([difference]) => difference),
    meant: found.filter((pair): pair is [(typeof pair)[0], Meant] => pair[1] !== undefined),
    ...(ours['config'] === undefined && { remark: 'refused' }),
    ...(typeof ours['builds'] === 'string' && { remark: `builds ${ours['builds']}` }),
  };
}
