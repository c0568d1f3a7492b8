import { userInfo } from 'node:os';
import { assertNever } from '@seaplane/config';
import { localKind, resetLocal, runRemoteWorker } from '@seaplane/local';
import { HostError, parseWorker, systemClock } from '@seaplane/orchestrator';
import { say, thisMachine } from '../command-line.ts';
import { Mistake } from '../mistake.ts';
import { listenForAbort } from '../stop-signals.ts';
import { parseWorkerArguments, WORKER_HELP, type WorkerArguments } from './arguments.ts';

/** `seaplane worker`. Returns the exit status. */
export async function workerCommand(args: readonly string[], platform = process.platform): Promise<number> {
  const stop = listenForAbort({ process, now: () => performance.now(), quit: () => process.exit(1) });
  try {
    const command = parseWorkerArguments(args, process.env, thisMachine());
    switch (command.kind) {
      case 'help':
        process.stdout.write(WORKER_HELP);
        return 0;
      case 'reset':
        await resetLocal(command.dataDir);
        say(`deleted everything in ${command.dataDir}`);
        return 0;
      case 'work':
        await work(command.work, platform, stop);
        return 0;
      default:
        return assertNever(command);
    }
  } catch (error) {
    const inWords = error instanceof Mistake || error instanceof HostError;
    say(inWords ? (error as Error).message : String((error as Error).stack));
    if (error instanceof Mistake) say('seaplane worker --help shows the flags');
    return 2;
  }
}

async function work(asked: WorkerArguments, platform: NodeJS.Platform, stop: AbortSignal): Promise<void> {
  const { web, key, name, dataDir, plainProcesses } = asked;
  if (platform !== 'linux' && platform !== 'darwin') throw new Mistake('a worker needs Linux or macOS');
  if (platform === 'darwin' && !plainProcesses) {
    throw new Mistake('macOS has no isolation for steps: name --plain-processes to run them as plain processes');
  }
  if (plainProcesses) say(`steps run as plain processes of the user ${userInfo().username}, without isolation`);
  parseWorker([localKind], 'the worker', { kind: 'local', name, directory: dataDir }); // throws if they can't be used
  const machine = { platform, plainProcesses };
  const options = { web, worker: name, keyFile: key, directory: dataDir, machine, clock: systemClock, report: say };
  await runRemoteWorker(options, stop);
}
