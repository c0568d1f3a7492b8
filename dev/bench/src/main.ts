import { parseArgs } from 'node:util';
import { up } from '@seaplane/dev-cluster';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { benchLatency } from './bench-latency.ts';
import { type BenchOptions, benchStepStart, NAMESPACE } from './bench-step-start.ts';

const USAGE = `Benchmarks: figures as ratios within one run.

usage: npm run bench -- step-start|latency [--rounds N] [--cluster N]

  step-start    a step's pod beside bare pods: until it can be spoken to, its first byte, its exit status
  latency       what web adds: from trigger to pod, from the end of a process to its event

  --rounds N    how often each pod is started, turn by turn (default 9)
  --cluster N   which development cluster to use, which is started if it is not up (default 0)
`;

const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<string>>> = {
  'step-start': benchStepStart,
  latency: benchLatency,
};

const progress = stderrProgress('bench');

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '9' },
      cluster: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const bench = BENCHMARKS[positionals.join()];
  if (values.help || !bench) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const index = Number(values.cluster);
  const { kubectl, kubeconfig } = await up(index, progress);
  try {
    console.log(await bench({ index, kubectl, rounds: Number(values.rounds), progress }));
  } finally {
    await run(kubectl, ['--kubeconfig', kubeconfig, 'delete', 'namespace', NAMESPACE, '--ignore-not-found']);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
