import { up } from '@seaplane/dev-cluster';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { stopOnSignals } from '@seaplane/dev-toolchain/stop-on-signals.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { parseArguments, USAGE } from './arguments.ts';
import { benchBrowser } from './bench-browser.ts';
import { benchChecks } from './bench-checks.ts';
import { benchCrossing } from './bench-crossing.ts';
import type { AloneOptions } from './bench-database.ts';
import { benchHushHouse } from './bench-hush-house.ts';
import { benchLatency } from './bench-latency.ts';
import { benchLocal, type LocalOptions } from './bench-local.ts';
import { benchLogLines } from './bench-log-lines.ts';
import { benchMany } from './bench-many.ts';
import { benchPageMemory } from './bench-page-memory.ts';
import { benchResolve } from './bench-resolve.ts';
import { type BenchOptions, benchStepStart, NAMESPACE } from './bench-step-start.ts';
import { benchTakeover } from './bench-takeover.ts';
import { benchTunnel } from './bench-tunnel.ts';
import { benchWatchers } from './bench-watchers.ts';

const ON_A_CLUSTER: Readonly<Record<string, (options: BenchOptions) => Promise<string>>> = {
  'step-start': benchStepStart,
  latency: benchLatency,
  tunnel: benchTunnel,
  crossing: benchCrossing,
  many: benchMany,
};

/** Those that need only a database. */
const ALONE: Readonly<Record<string, (options: AloneOptions) => Promise<string>>> = {
  checks: benchChecks,
  takeover: benchTakeover,
  watchers: benchWatchers,
  'log-lines': benchLogLines,
  resolve: benchResolve,
  'hush-house': benchHushHouse,
  browser: benchBrowser,
  'page-memory': benchPageMemory,
};

/** Those that use a cluster if it is up. */
const WITH_OR_WITHOUT: Readonly<Record<string, (options: LocalOptions) => Promise<string>>> = { local: benchLocal };

const progress = stderrProgress('bench');

async function main(argv: readonly string[]): Promise<number> {
  const options = parseArguments(argv, [ON_A_CLUSTER, ALONE, WITH_OR_WITHOUT].flatMap(Object.keys));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { benchmark, rounds, index } = options;
  const alone = ALONE[benchmark];
  if (alone) {
    console.log(await alone({ rounds, progress, signal: stopOnSignals() }));
    return 0;
  }
  const withOrWithout = WITH_OR_WITHOUT[benchmark];
  if (withOrWithout) {
    console.log(await withOrWithout({ index, rounds, progress, signal: stopOnSignals() }));
    return 0;
  }
  const { kubectl, kubeconfig } = await up(index, progress);
  const signal = stopOnSignals();
  try {
    console.log(await ON_A_CLUSTER[benchmark]?.({ index, kubectl, rounds, progress, signal }));
  } finally {
    await run(kubectl, ['--kubeconfig', kubeconfig, 'delete', 'namespace', NAMESPACE, '--ignore-not-found']);
  }
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(`bench: ${(error as Error).message}\n${wrongUse ? `\n${USAGE}` : ''}`);
  process.exitCode = wrongUse ? 2 : 1;
}
