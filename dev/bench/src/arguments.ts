import { parseArgs } from 'node:util';

const DEFAULT_ROUNDS = 9;

export interface Arguments {
  readonly benchmark: string;
  readonly rounds: number;
  /** Which development cluster. */
  readonly index: number;
}

/** The command line cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Benchmarks: figures as ratios within one run.

usage: npm run bench -- step-start|latency [--rounds N] [--cluster N]

  step-start    a step's pod beside bare pods: until it can be spoken to, its first byte, its exit status
  latency       what web adds: from trigger to pod, from the end of a process to its event

  --rounds N    how often each pod is started, turn by turn (default ${DEFAULT_ROUNDS})
  --cluster N   which development cluster to use, 0 to 9 (default 0); it is started if it is not up, and left up
`;

/** Returns 'help' when help is asked for; throws {@link UsageError}. */
export function parseArguments(argv: readonly string[], benchmarks: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parse(argv);
  if (values.help) return 'help';
  const [benchmark, surplus] = positionals;
  if (benchmark === undefined) throw new UsageError(`name a benchmark: ${benchmarks.join(', ')}`);
  if (!benchmarks.includes(benchmark)) throw new UsageError(`unknown benchmark '${benchmark}'`);
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'`);
  return {
    benchmark,
    rounds: parseNumber('--rounds', values.rounds ?? String(DEFAULT_ROUNDS), 1, 1000),
    index: parseNumber('--cluster', values.cluster ?? '0', 0, 9),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { rounds: { type: 'string' }, cluster: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

function parseNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new UsageError(`${option} is a whole number from ${least} to ${most}, not '${text}'`);
  }
  return value;
}
