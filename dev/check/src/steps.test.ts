import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';

const STEPS = join(import.meta.dirname, 'steps.ts');

/** A command whose first step tells its pid and waits, and whose second must not run after a signal. */
const PROGRAM = `
import { runCommand, runStep } from ${JSON.stringify(STEPS)};
await runCommand({ text: 'usage', takesArguments: false }, async () => {
  await runStep('waits', 'sh', ['-c', 'echo $$; exec sleep 60']);
  return runStep('after', 'echo', ['after']);
});`;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'steps-'));
  await writeFile(join(directory, 'command.mjs'), PROGRAM);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function start(...args: string[]) {
  return spawn(process.execPath, [join(directory, 'command.mjs'), ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
}

test('a signal ends the step that runs, and nothing runs after it', async () => {
  const command = start();
  const lines = createInterface({ input: command.stdout });
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  const [pid] = (await once(lines, 'line')) as [string];
  const ended = once(command, 'close');
  command.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(said).toEqual([pid]);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

test('an argument that is not taken is wrong use, and nothing runs', async () => {
  const command = start('surplus');
  expect(await once(command, 'close')).toEqual([2, null]);
});
