import { parseStrictly, parseWholeNumber, refuseSurplus, UsageError } from '@seaplane/dev-toolchain/usage.ts';

const DEFAULT_PROCS = 6;
const MAX_PROCS = 64;
const CONCOURSE_HOST = 'concourse';
/** Our side of a comparison needs no cluster. */
const COMPARED_HOST = 'local';

export interface Arguments {
  readonly host: string;
  readonly focus?: RegExp;
  readonly procs: number;
  /** Start the host for use by hand instead of running the suite. */
  readonly serve: boolean;
  /** Run Concourse's own browser tests instead of the suite. */
  readonly browser?: true;
  /** The version of Concourse that our web and fly say they are. Left out: web's is the suite's, fly does not compare. */
  readonly as?: string;
  /** Files to set and run on the real Concourse and on the host, instead of running the suite. None: our own corpus. */
  readonly compare?: readonly string[];
  /** Where the results go instead of docs/: for tests. */
  readonly out?: string;
}

export function usage(hosts: readonly string[]): string {
  return `Runs Concourse's own acceptance suite (testflight v7.14.2) with the real fly and keeps the score.

usage: npm run conformance -- --host ${hosts.join('|')} [--focus REGEX] [--procs N] [--as VERSION]
       npm run conformance -- --host HOST --serve
       npm run conformance -- --host HOST --browser
       npm run conformance -- --compare [--host HOST] [FILE ...]

  --host HOST     where the pipelines run: our own web (kubernetes, local) or the real Concourse
  --focus REGEX   only the specs whose name, or whose file's name, matches
  --procs N       how many specs run at once (default ${DEFAULT_PROCS})
  --as VERSION    our web and fly say that they are this version of Concourse, such as 8.2.5; no results are written
  --serve         start the host, say how to log in, and wait for Ctrl-C
  --browser       run Concourse's own browser tests in Chromium instead of the suite; no results are written
  --compare       set pipelines and task files on the real Concourse and on our own web (default: local), run their
                  jobs on both, and print every difference; without files, those of dev/conformance/corpus
  --help          this text

The results are docs/conformance/HOST.json and docs/conformance.md. A full run replaces them, a focused one updates the
specs that ran.

exit status: 0  nothing that passes in the committed results failed, or nothing differs
             1  something did, or the run could not be made
             2  the command line is wrong
`;
}

/** Returns 'help' when help is asked for; throws {@link UsageError}. */
export function parseArguments(argv: readonly string[], hosts: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parseStrictly({
    args: [...argv],
    allowPositionals: true,
    options: {
      host: { type: 'string' },
      focus: { type: 'string' },
      procs: { type: 'string' },
      serve: { type: 'boolean' },
      browser: { type: 'boolean' },
      compare: { type: 'boolean' },
      as: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  if (values.compare) return parseComparison(values, positionals, hosts);
  refuseSurplus(positionals, 0);
  if (values.host === undefined) throw new UsageError(`--host is missing; it is one of ${hosts.join(', ')}`);
  if (!hosts.includes(values.host)) {
    throw new UsageError(`unknown host '${values.host}'; it is one of ${hosts.join(', ')}`);
  }
  if (values.serve && values.focus !== undefined) throw new UsageError('--serve runs no specs, so --focus has no use');
  const useless = (['focus', 'procs', 'as', 'out', 'serve'] as const).find((name) => values[name] !== undefined);
  if (values.browser && useless) throw new UsageError(`--${useless} has no use with --browser`);
  if (values.as !== undefined && !/^\d+\.\d+\.\d+$/.test(values.as)) {
    throw new UsageError(`--as '${values.as}' is not a version, such as 8.2.5`);
  }
  if (values.as !== undefined && (values.host === CONCOURSE_HOST || values.serve)) {
    throw new UsageError('--as is for runs of the suite against our own web');
  }
  return {
    host: values.host,
    procs: values.procs === undefined ? DEFAULT_PROCS : parseWholeNumber('--procs', values.procs, 1, MAX_PROCS),
    serve: values.serve ?? false,
    ...(values.browser && { browser: true }),
    ...(values.focus !== undefined && { focus: parseFocus(values.focus) }),
    ...(values.as !== undefined && { as: values.as }),
    ...(values.out !== undefined && { out: values.out }),
  };
}

/** A comparison starts two hosts and runs no specs, so most options have no use. */
function parseComparison(
  values: Readonly<Record<string, unknown>>,
  files: readonly string[],
  hosts: readonly string[],
): Arguments {
  const host = values['host'] ?? COMPARED_HOST;
  const others = Object.keys(values).filter((name) => name !== 'compare' && name !== 'host');
  if (others.length > 0) throw new UsageError(`--${others[0]} has no use with --compare`);
  if (typeof host !== 'string' || !hosts.includes(host) || host === CONCOURSE_HOST) {
    throw new UsageError(`--compare is with one of ${hosts.filter((name) => name !== CONCOURSE_HOST).join(', ')}`);
  }
  return { host, compare: files, procs: DEFAULT_PROCS, serve: false };
}

function parseFocus(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (cause) {
    throw new UsageError(`--focus is not a regular expression: ${(cause as Error).message}`, { cause });
  }
}
