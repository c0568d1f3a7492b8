import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { kubectlBinary } from './binaries.ts';
import { down } from './down.ts';
import { layoutOf } from './layout.ts';
import { targetKubeconfig } from './service-account.ts';
import { allStatuses, describeStatus, status } from './status.ts';
import { up } from './up.ts';

const USAGE = `A real single-node Kubernetes on this machine, for development and tests.

usage: npm run cluster -- COMMAND [--cluster N]

  up                        start cluster N (default 0); what runs is left alone
  down                      end it and remove every trace
  status                    what is up (all clusters, or cluster N)
  kubeconfig NAMESPACE      make a namespace and a service account with exactly the Role we publish;
                            prints the path of its kubeconfig
  target NAMESPACE          the same, and prints a targets file for web: npm start -- --targets FILE
  kubectl ARGS...           kubectl of the cluster's version, as administrator of cluster N
`;

const progress = stderrProgress('cluster');

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { cluster: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [command, ...rest] = positionals;
  if (values.help || !command) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const index = Number(values.cluster ?? 0);
  layoutOf(index); // a bad number is a bad number for every command
  switch (command) {
    case 'up':
      console.log((await up(index, progress)).kubeconfig);
      return 0;
    case 'down':
      await down(index, progress);
      return 0;
    case 'status': {
      const found = values.cluster === undefined ? await allStatuses() : [await status(index)];
      console.log(found.length > 0 ? found.map(describeStatus).join('\n') : 'no cluster is up');
      return 0;
    }
    case 'kubeconfig': {
      const [namespace] = rest;
      if (!namespace) throw new UsageError('kubeconfig needs the name of a namespace');
      console.log(await targetKubeconfig(index, namespace, await kubectlBinary(progress), progress));
      return 0;
    }
    case 'target': {
      const [namespace] = rest;
      if (!namespace) throw new UsageError('target needs the name of a namespace');
      console.log(JSON.stringify([await developmentTarget(index, namespace)], null, 2));
      return 0;
    }
    default:
      throw new UsageError(`unknown command '${command}'`);
  }
}

async function developmentTarget(index: number, namespace: string): Promise<object> {
  return {
    name: `cluster-${index}`,
    kubeconfig: await targetKubeconfig(index, namespace, await kubectlBinary(progress), progress),
    namespace,
    allowPrivileged: true,
    images: { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } },
  };
}

class UsageError extends Error {}

function isParseArgsError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') ?? false;
}

/** kubectl's own flags are not ours to parse. */
async function kubectl(args: readonly string[]): Promise<number> {
  const at = args[0] === '--cluster' ? 2 : 0;
  const index = at ? Number(args[1]) : 0;
  const env = { ...process.env, KUBECONFIG: layoutOf(index).kubeconfig };
  return spawnSync(await kubectlBinary(progress), args.slice(at), { stdio: 'inherit', env }).status ?? 1;
}

try {
  const argv = process.argv.slice(2);
  process.exitCode = argv[0] === 'kubectl' ? await kubectl(argv.slice(1)) : await main(argv);
} catch (error) {
  const wrongUse = error instanceof UsageError || error instanceof RangeError || isParseArgsError(error);
  process.stderr.write(`cluster: ${(error as Error).message}\n${wrongUse ? `\n${USAGE}` : ''}`);
  process.exitCode = wrongUse ? 2 : 1;
}
