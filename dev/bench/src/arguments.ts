import { parseStrictly, parseWholeNumber, refuseSurplus, UsageError } from '@seaplane/dev-toolchain/usage.ts';

const DEFAULT_ROUNDS = 9;

export interface Arguments {
  readonly benchmark: string;
  readonly rounds: number;
  /** Which development cluster. */
  readonly index: number;
}

export const USAGE = `Benchmarks: figures as ratios within one run.

usage: npm run bench -- step-start|latency|tunnel|crossing|many|local|checks|watchers|log-lines|takeover|resolve|hush-house|browser|page-memory
       [--rounds N] [--cluster N]

  step-start    a step's pod beside bare pods: until it can be spoken to, its first byte, its exit status
  latency       what web adds: from trigger to pod, from the end of a process to its event
  tunnel        calls, output and files of a pod through the API server, beside the same at the pod's address
  crossing      an artifact from one cluster to the next (--cluster N and N + 1), beside tar | tar from node to node
  many          thirty builds of one task at once, beside thirty pods of several kinds, and the processor time of both
  local         builds on this machine, beside the same builds on pods if the cluster is up
  checks        how many periodic checks web starts in a second, of 10,000 resources; needs no cluster
  watchers      how long an append takes to reach 1,000 watchers of one build; needs no cluster
  log-lines     how many lines a second go from 200 steps into the database; needs no cluster
  takeover      how long a web takes to resume 1,000 builds that another web left; needs no cluster
  resolve       how long input resolution takes with up to a million versions; needs no cluster
  hush-house    the same for a history that Concourse's maintainers exported; needs Go, no cluster
  browser       pages in a real Chromium: large ones beside small ones, printed lines; needs no cluster
  page-memory   the memory of a page in a real Chromium during an hour of builds; needs no cluster

  --rounds N    how often each thing is measured, turn by turn (default ${DEFAULT_ROUNDS})
  --cluster N   which development cluster to use, 0 to 9 (default 0); it is started if it is not up, and left up
`;

/** Returns 'help' when help is asked for; throws {@link UsageError}. */
export function parseArguments(argv: readonly string[], benchmarks: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parseStrictly({
    args: [...argv],
    options: { rounds: { type: 'string' }, cluster: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const [benchmark] = positionals;
  if (benchmark === undefined) throw new UsageError(`name a benchmark: ${benchmarks.join(', ')}`);
  if (!benchmarks.includes(benchmark)) throw new UsageError(`unknown benchmark '${benchmark}'`);
  refuseSurplus(positionals, 1);
  return {
    benchmark,
    rounds: parseWholeNumber('--rounds', values.rounds ?? String(DEFAULT_ROUNDS), 1, 1000),
    index: parseWholeNumber('--cluster', values.cluster ?? '0', 0, 9),
  };
}
