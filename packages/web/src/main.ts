import { homedir } from 'node:os';
import { createLogger, HELP, parseCommand, stopSignal } from './boot/index.ts';
import { serve } from './serve.ts';

function home(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined; // neither HOME nor an account
  }
}

async function main(): Promise<number> {
  const machine = { isRoot: process.getuid?.() === 0, home: home() };
  const command = parseCommand(process.argv.slice(2), process.env, machine);
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'mistake':
      process.stderr.write(`seaplane: ${command.message}\nRun with --help to see the flags.\n`);
      return 2;
    case 'run':
      return serve(command.config, createLogger(command.config.logLevel), stopSignal(process));
  }
}

// Explicitly: everything of ours has stopped by now, and nothing else may keep the process.
process.exit(await main());
