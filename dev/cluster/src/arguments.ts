import { parseStrictly, parseWholeNumber, refuseSurplus, UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { MAX_CLUSTER_INDEX } from './layout.ts';

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'up' | 'down'; readonly index: number }
  /** Without an index: of all clusters. */
  | { readonly kind: 'status'; readonly index?: number }
  | { readonly kind: 'kubeconfig' | 'target'; readonly index: number; readonly namespace: string }
  | { readonly kind: 'kubectl'; readonly index: number; readonly args: readonly string[] };

export const USAGE = `A real single-node Kubernetes on this machine, for development and tests.

usage: npm run cluster -- COMMAND [--cluster N]

  up                        start cluster N (default 0); what runs is left alone
  down                      end it and remove every trace
  status                    what is up (all clusters, or cluster N)
  kubeconfig NAMESPACE      make a namespace and a service account with exactly the Role we publish;
                            prints the path of its kubeconfig
  target NAMESPACE          the same, and prints a targets file for web: npm start -- --targets FILE
  kubectl [--cluster N] ARGS...
                            kubectl of the cluster's version, as administrator of cluster N

It needs Linux and root; the first time also Go, and some minutes to build Kubernetes.
`;

/** Throws {@link UsageError}. */
export function parseArguments(argv: readonly string[]): Command {
  if (argv[0] === 'kubectl') return parseKubectl(argv.slice(1));
  const { values, positionals } = parseStrictly({
    args: [...argv],
    options: { cluster: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [command, ...operands] = positionals;
  if (values.help) return { kind: 'help' };
  const index = parseIndex(values.cluster ?? '0');
  switch (command) {
    case 'up':
    case 'down':
      takesOnly(operands, 0);
      return { kind: command, index };
    case 'status':
      takesOnly(operands, 0);
      return { kind: 'status', ...(values.cluster !== undefined && { index }) };
    case 'kubeconfig':
    case 'target': {
      const [namespace] = operands;
      if (!namespace) throw new UsageError(`${command} needs the name of a namespace`);
      takesOnly(operands, 1);
      return { kind: command, index, namespace };
    }
    case undefined:
      throw new UsageError('a command is missing');
    default:
      throw new UsageError(`unknown command '${command}'`);
  }
}

/** kubectl's own flags are not ours to parse, so ours comes first. */
function parseKubectl(args: readonly string[]): Command {
  const [first, second] = args;
  if (first === '--cluster') return { kind: 'kubectl', index: parseIndex(second ?? ''), args: args.slice(2) };
  if (first?.startsWith('--cluster=')) {
    return { kind: 'kubectl', index: parseIndex(first.slice('--cluster='.length)), args: args.slice(1) };
  }
  return { kind: 'kubectl', index: 0, args };
}

/** `down 1` must not end cluster 0. */
function takesOnly(operands: readonly string[], count: number): void {
  refuseSurplus(operands, count, '; a cluster is chosen with --cluster N');
}

function parseIndex(text: string): number {
  return parseWholeNumber('--cluster', text, 0, MAX_CLUSTER_INDEX);
}
