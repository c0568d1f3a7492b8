import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '@seaplane/dev-toolchain/cache-dir.ts';
import { CONCOURSE_VERSION } from '@seaplane/dev-toolchain/concourse.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import type { Arguments } from './arguments.ts';
import { buildFly } from './concourse/fly.ts';
import type { Host, RunningHost } from './hosts/host.ts';
import { readExpected } from './report/expected.ts';
import { committedResults, type ResultFiles, readResults, writeResults } from './report/files.ts';
import { resultsOf } from './report/ginkgo-report.ts';
import { type Changes, compareWithCommitted, mergeResults, type Results, type SpecResult } from './report/results.ts';
import { buildSuite, type Suite } from './suite/build.ts';
import { runSuite } from './suite/run.ts';
import { type Spec, selectSpecs } from './suite/spec.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Where results are written. */
export const DOCS = join(ROOT, 'docs');
const SUITE_NAME = `testflight v${CONCOURSE_VERSION}`;

export interface Outcome {
  readonly ran: readonly SpecResult[];
  readonly results: Results;
  readonly changes: Changes;
}

export interface ConformanceRun {
  readonly host: Host;
  /** The names of all hosts, in the order of the page's columns. */
  readonly hosts: readonly string[];
  readonly options: Arguments;
  /** Ends the run early; then nothing is written. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Runs the suite, or the specs in focus, on a host; writes the results down and compares them with the committed. */
export async function conformance(wanted: ConformanceRun): Promise<Outcome> {
  const { host, hosts, options } = wanted;
  const suite = await buildSuite(wanted.progress);
  const selected = selectSpecs(suite.specs, options.focus);
  if (selected.length === 0) {
    throw new UsageError(`no spec's name or file matches --focus ${options.focus?.source}; see docs/conformance.md`);
  }
  const { ran, seconds } = await runOnHost(wanted, suite, selected);

  const changes = compareWithCommitted(ran, await committedResults(ROOT, host.name));
  const names = suite.specs.map(({ name }) => name);
  // The committed results are those of the suite's own version.
  if (options.as) return { ran, results: mergeResults(SUITE_NAME, names, ran, seconds, undefined), changes };
  const files: ResultFiles = { directory: options.out ?? DOCS, hosts };
  const results = mergeResults(SUITE_NAME, names, ran, seconds, await readResults(files, host.name));
  await writeResults(files, host.name, results, await readExpected());
  return { ran, results, changes };
}

interface Ran {
  readonly ran: readonly SpecResult[];
  readonly seconds: number;
}

async function runOnHost(wanted: ConformanceRun, suite: Suite, selected: readonly Spec[]): Promise<Ran> {
  const { host, options, signal, progress } = wanted;
  progress(`starting ${host.name} ...`);
  const running = await host.start(progress, options.as);
  try {
    signal.throwIfAborted();
    if (running.cannotRun) return { ran: allFailed(selected, running.cannotRun), seconds: 0 };
    return await runSpecs(wanted, running, suite, selected);
  } finally {
    progress(`stopping ${host.name} ...`);
    await running.stop();
  }
}

function allFailed(selected: readonly Spec[], reason: string): SpecResult[] {
  return selected.map(({ name }) => ({ name, state: 'fail', seconds: 0, reason }));
}

async function runSpecs(
  { host, options, signal, progress }: ConformanceRun,
  running: RunningHost,
  suite: Suite,
  selected: readonly Spec[],
): Promise<Ran> {
  for (const tool of ['git', 'curl']) await ensureTool(tool, progress);
  const fly = await buildFly(progress, options.as);
  const logs = join(cacheDir(), 'conformance');
  await mkdir(logs, { recursive: true });
  const logFile = join(logs, `${host.name}-suite.log`);
  progress(`running ${selected.length} of ${suite.specs.length} specs; everything they print is in ${logFile}`);
  const start = performance.now();
  let count = 0;
  const { report, interruption } = await runSuite({
    suite,
    fly: fly.program,
    specs: selected,
    url: running.url,
    procs: options.procs,
    env: running.env,
    logFile,
    signal,
    onEnd: ({ name, how, seconds }) => {
      count++;
      progress(`${count}/${selected.length} ${how.toLowerCase()} ${name} (${Math.round(seconds)} s)`);
    },
  });
  return { ran: resultsOf(report, selected, interruption), seconds: (performance.now() - start) / 1000 };
}

/** fly calls these. Installed only where they are missing, so that other systems than Debian can have their own. */
async function ensureTool(name: string, progress: Progress): Promise<void> {
  const found = await run(name, ['--version'], { ok: 'any' }).catch(() => undefined);
  if (!found) await ensureDebianPackages([name], progress);
}
