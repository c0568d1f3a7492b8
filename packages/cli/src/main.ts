import { COMMANDS } from './commands.ts';
import { dispatch } from './dispatch.ts';

const status = await dispatch(COMMANDS, process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
// The command has cleaned up by now. Exit explicitly, so that nothing else can keep the process alive. Output to a pipe may
// still be under way: it is written before the process ends.
process.stdout.write('', () => process.exit(status));
