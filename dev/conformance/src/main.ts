import { constants } from 'node:os';
import { type Progress, stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import { browserSuite } from './browser/browser-suite.ts';
import { browserSummary, regressionsIn } from './browser/browser-summary.ts';
import { compare } from './compare/compare.ts';
import { corpusFiles } from './compare/corpus.ts';
import { reportText } from './compare/report.ts';
import { conformance, DOCS } from './conformance.ts';
import { concourseHost } from './hosts/concourse.ts';
import type { Host } from './hosts/host.ts';
import { HOSTS } from './hosts/index.ts';
import { readExpected } from './report/expected.ts';
import { writeBrowserResults } from './report/files.ts';
import { serve } from './serve.ts';
import { summary } from './summary.ts';

const hostNames = HOSTS.map(({ name }) => name);

async function main(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = parseArguments(argv, hostNames);
  if (options === 'help') {
    process.stdout.write(usage(hostNames));
    return 0;
  }
  const progress = stderrProgress('conformance');
  const host = HOSTS.find(({ name }) => name === options.host);
  if (!host) throw new UsageError(`unknown host '${options.host}'`);
  const why = host.whyNot?.();
  if (why) throw new Error(why);
  if (options.compare) return compareFiles(host, options.compare, signal, progress);
  if (options.browser) return runBrowserSuite(host, options, signal, progress);
  if (options.serve) {
    await serve(host, signal, progress);
    return 0;
  }
  const outcome = await conformance({ host, hosts: hostNames, options, signal, progress });
  process.stdout.write(summary(host.name, outcome));
  return outcome.changes.regressions.length > 0 ? 1 : 0;
}

async function runBrowserSuite(
  host: Host,
  options: Arguments,
  signal: AbortSignal,
  progress: Progress,
): Promise<number> {
  const tests = await browserSuite({ host, signal, progress });
  const files = { directory: options.out ?? DOCS, hosts: hostNames };
  await writeBrowserResults(files, { host: host.name, tests }, await readExpected());
  process.stdout.write(browserSummary(host.name, tests));
  return regressionsIn(tests).length > 0 ? 1 : 0;
}

async function compareFiles(
  ours: Host,
  files: readonly string[],
  signal: AbortSignal,
  progress: Progress,
): Promise<number> {
  const why = concourseHost.whyNot?.();
  if (why) throw new Error(why);
  const wanted = files.length > 0 ? files : await corpusFiles();
  const reports = await compare({ concourse: concourseHost, ours, files: wanted, signal, progress });
  process.stdout.write(reportText(reports));
  return reports.some(({ differences }) => differences.length > 0) ? 1 : 0;
}

/** The first signal stops everything in order; repeats are ignored, because npm and the terminal both send one. */
function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!stopping.signal.aborted) console.error(`conformance: ${name}, stopping ...`);
      stopping.abort(new Stopped(name));
    });
  }
  return stopping.signal;
}

class Stopped extends Error {
  readonly exitStatus: number;

  constructor(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${name}`);
    this.exitStatus = 128 + constants.signals[name];
  }
}

function report(error: unknown): number {
  if (error instanceof Stopped) {
    console.error(`conformance: ${error.message}; no results were written`);
    return error.exitStatus;
  }
  if (error instanceof UsageError) {
    console.error(`conformance: ${error.message}\n(npm run conformance -- --help)`);
    return 2;
  }
  console.error(`conformance: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}

const stop = stopOnSignals();
// If something else fails after a signal, such as a compiler that got the signal too, the signal is the cause.
process.exitCode = await main(process.argv.slice(2), stop).catch((error) => report(stop.aborted ? stop.reason : error));
