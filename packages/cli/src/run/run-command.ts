import { stat } from 'node:fs/promises';
import { assertNever } from '@seaplane/config';
import { DbError } from '@seaplane/db';
import type { BuildStatus } from '@seaplane/engine';
import { createLogger } from '@seaplane/web/boot';
import { say, thisMachine } from '../command-line.ts';
import { Mistake } from '../mistake.ts';
import { listenForAbort } from '../stop-signals.ts';
import { parseRunArguments, type RunArguments } from './arguments.ts';
import { HELP } from './help.ts';
import { openSlot, resetSlots } from './open-slot.ts';
import { readJob } from './read-job.ts';
import { runJob } from './run-job.ts';

const EXIT: Readonly<Record<BuildStatus, number>> = {
  pending: 2,
  started: 2,
  succeeded: 0,
  failed: 1,
  errored: 2,
  aborted: 3,
};

/** `seaplane run`. Returns the exit status. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const quit = () => process.exit(EXIT.aborted);
  const stop = listenForAbort({ process, now: () => performance.now(), quit });
  try {
    const command = parseRunArguments(args, process.env, thisMachine());
    switch (command.kind) {
      case 'help':
        process.stdout.write(HELP);
        return 0;
      case 'reset':
        await resetSlots(command.dataDir);
        say(`deleted everything in ${command.dataDir}`);
        return 0;
      case 'run':
        return await run(command.run, stop);
      default:
        return assertNever(command);
    }
  } catch (error) {
    if (stop.aborted && error === stop.reason) return EXIT.aborted;
    const inWords = error instanceof Mistake || error instanceof DbError || (error as Error).name === 'WebError';
    say(inWords ? (error as Error).message : String((error as Error).stack));
    if (error instanceof Mistake) say('seaplane run --help shows the flags');
    return EXIT.errored;
  }
}

async function run(args: RunArguments, stop: AbortSignal): Promise<number> {
  const job = await readJob(args);
  for (const { name, value } of args.inputs) {
    const found = await stat(value).catch(() => undefined);
    if (!found?.isDirectory()) throw new Mistake(`--input ${name}: ${value} is not a directory`);
  }
  for (const warning of job.warnings) say(`warning: ${warning}`);
  const logger = createLogger(args.verbose ? 'info' : 'error', process.stderr, true);
  await using machine = await openSlot(args.dataDir, { logger, signal: stop });
  const printer = { write: (text: string) => void process.stdout.write(text), colors: hasColors() };
  const { status, missing } = await runJob({ machine, printer, say }, args, job, stop);
  for (const name of missing) say(`the job made no artifact ${name}, so there is nothing to copy`);
  return status === 'succeeded' && missing.length > 0 ? EXIT.errored : EXIT[status];
}

function hasColors(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR'];
}
