import { workerCommand } from '../worker-command.ts';

// `seaplane worker` on this machine, which tells the server that it is a Mac. There is no real one to test with.
process.exit(await workerCommand(process.argv.slice(2), 'darwin'));
