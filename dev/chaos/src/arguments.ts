import { randomBytes } from 'node:crypto';
import { parseStrictly, parseWholeNumber, refuseSurplus, UsageError } from '@seaplane/dev-toolchain/usage.ts';

const DEFAULT_FAULTS = 20;

export interface Arguments {
  readonly faults: number;
  readonly seed: string;
  /** Which development cluster. */
  readonly index: number;
  /** Leave the namespace, the database and the logs for a look. */
  readonly keep: boolean;
  /** Only these kinds of faults; empty: all. */
  readonly only: readonly string[];
}

export const USAGE = `Runs builds on a real cluster under random faults, then checks that nothing was lost, doubled or left behind.

usage: npm run chaos -- [--faults N] [--seed S] [--cluster N] [--only KIND,...] [--keep]

  --faults N    how many faults (default ${DEFAULT_FAULTS})
  --seed S      repeats the faults and pipelines of an earlier run; without it a new seed is chosen and printed
  --cluster N   which development cluster to use, 0 to 9 (default 0); it is started if it is not up, and left up
  --only KINDS  only faults of these kinds, separated by commas; the last line of this text lists them
  --keep        leaves the namespace, the database and the logs of web for a look

Exits with 1 if a rule was broken, and says which build, which step, what was expected and what was seen.
`;

/** Returns 'help' when help is asked for; throws {@link UsageError}. */
export function parseArguments(argv: readonly string[], kinds: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parseStrictly({
    args: [...argv],
    options: {
      faults: { type: 'string' },
      seed: { type: 'string' },
      cluster: { type: 'string' },
      only: { type: 'string' },
      keep: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  refuseSurplus(positionals, 0);
  const only = (values.only ?? '').split(',').filter(Boolean);
  const unknown = only.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) throw new UsageError(`unknown kind of fault '${unknown}': ${kinds.join(', ')}`);
  return {
    faults: parseWholeNumber('--faults', values.faults ?? String(DEFAULT_FAULTS), 1, 100_000),
    seed: values.seed ?? randomBytes(4).toString('hex'),
    index: parseWholeNumber('--cluster', values.cluster ?? '0', 0, 9),
    keep: values.keep ?? false,
    only,
  };
}
