import { homedir } from 'node:os';
import { assertNever } from '@seaplane/config';
import {
  createLogger,
  HELP,
  listenForStop,
  logFailure,
  parseCommand,
  resetData,
  type WebConfig,
} from './boot/index.ts';
import { serve } from './serve.ts';

function home(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined; // neither HOME nor an account
  }
}

async function reset(config: WebConfig): Promise<number> {
  try {
    await resetData(config);
    process.stdout.write(`seaplane: deleted all data in ${config.dataDir}. npm start begins anew.\n`);
    return 0;
  } catch (error) {
    logFailure(createLogger(config.logLevel), error);
    return 1;
  }
}

async function main(): Promise<number> {
  const machine = { isRoot: process.getuid?.() === 0, home: home(), platform: process.platform };
  const command = parseCommand(process.argv.slice(2), process.env, machine);
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'mistake':
      process.stderr.write(`seaplane: ${command.message}\nRun with --help to see the flags.\n`);
      return 2;
    case 'reset':
      return reset(command.config);
    case 'run':
      return serve(command.config, createLogger(command.config.logLevel), listenForStop(process));
    default:
      return assertNever(command);
  }
}

// Web has stopped by now. Exit explicitly, so that nothing else can keep the process alive.
process.exit(await main());
