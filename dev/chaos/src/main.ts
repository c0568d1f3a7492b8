import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { stopOnSignals } from '@seaplane/dev-toolchain/stop-on-signals.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { parseArguments, USAGE } from './arguments.ts';
import { FAULTS } from './faults/index.ts';
import { openPlace } from './place/place.ts';
import { Random } from './random.ts';
import { report } from './report.ts';
import { runChaos } from './run.ts';

const progress = stderrProgress('chaos');

async function main(argv: readonly string[]): Promise<number> {
  const kinds = FAULTS.map(({ kind }) => kind);
  const options = parseArguments(argv, kinds);
  if (options === 'help') {
    process.stdout.write(`${USAGE}\nKinds: ${kinds.join(', ')}\n`);
    return 0;
  }
  const { faults, seed, index, keep, only } = options;
  progress(`seed ${seed}: ${faults} faults on cluster ${index}`);
  const chosen = FAULTS.filter(({ kind }) => only.length === 0 || only.includes(kind));
  const signal = stopOnSignals();
  await using place = await openPlace(index, keep, progress);
  const result = await runChaos(place, new Random(seed), chosen, faults, progress, signal);
  console.log(report(result, seed));
  return result.violations.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(`chaos: ${(error as Error).message}\n${wrongUse ? `\n${USAGE}` : ''}`);
  process.exitCode = wrongUse ? 2 : 1;
}
