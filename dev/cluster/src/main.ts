import { spawnSync } from 'node:child_process';
import { assertNever } from '@seaplane/config';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { type Command, parseArguments, USAGE } from './arguments.ts';
import { down } from './down.ts';
import { requireHost } from './host/requirements.ts';
import { kubectlBinary } from './kubernetes/binaries.ts';
import { requireUp, targetKubeconfig } from './kubernetes/service-account.ts';
import { layoutOf } from './layout.ts';
import { allStatuses, describeStatus, status } from './status.ts';
import { up } from './up.ts';

const progress = stderrProgress('cluster');

async function main(command: Command): Promise<number> {
  if (command.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  requireHost();
  switch (command.kind) {
    case 'up':
      console.log((await up(command.index, progress)).kubeconfig);
      return 0;
    case 'down':
      await down(command.index, progress);
      return 0;
    case 'status': {
      const found = command.index === undefined ? await allStatuses() : [await status(command.index)];
      console.log(found.length > 0 ? found.map(describeStatus).join('\n') : 'no cluster is up');
      return 0;
    }
    case 'kubeconfig':
      console.log(await kubeconfigFor(command));
      return 0;
    case 'target':
      console.log(JSON.stringify([await developmentTarget(command)], null, 2));
      return 0;
    case 'kubectl':
      return kubectl(command.index, command.args);
    default:
      return assertNever(command);
  }
}

interface Place {
  readonly index: number;
  readonly namespace: string;
}

async function kubeconfigFor({ index, namespace }: Place): Promise<string> {
  await requireUp(index);
  return targetKubeconfig(index, namespace, await kubectlBinary(progress), progress);
}

async function developmentTarget(place: Place): Promise<object> {
  return {
    name: `cluster-${place.index}`,
    kubeconfig: await kubeconfigFor(place),
    namespace: place.namespace,
    allowPrivileged: true,
    images: { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } },
  };
}

async function kubectl(index: number, args: readonly string[]): Promise<number> {
  await requireUp(index);
  const env = { ...process.env, KUBECONFIG: layoutOf(index).kubeconfig };
  return spawnSync(await kubectlBinary(progress), args, { stdio: 'inherit', env }).status ?? 1;
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`cluster: ${error.message}\n\n${USAGE}`);
    return 2;
  }
  process.stderr.write(`cluster: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}

try {
  process.exitCode = await main(parseArguments(process.argv.slice(2)));
} catch (error) {
  process.exitCode = report(error);
}
