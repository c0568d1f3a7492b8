import { once } from 'node:events';
import { join } from 'node:path';
import { encodeFrame, FRAME, resizeFrame, supervisorProgram } from '@seaplane/baggageclaim/testing';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, expect } from 'vitest';
import { Supervised } from './testing/supervised.ts';

const test = anyTest.skipIf(whyNoRoot());

let program = '';
beforeAll(async () => {
  program = supervisorProgram();
});

const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

test('[SUP20] a shell on pipes has the environment of the step and of the request', async () => {
  await using supervised = await Supervised.start(program, { env: { PATH: process.env['PATH'], IMAGE: 'image' } });
  await supervised.result({ path: 'true', env: ['PARAM=of the step', 'BOTH=step'] });
  const shell = await supervised.hijack({ path: 'sh', env: ['BOTH=asked', 'TERM=xterm'], dir: '/usr', user: '12:34' });
  shell.type('echo "$IMAGE|$PARAM|$BOTH|$TERM|$(pwd)|$(id -u):$(id -g)"; echo oops >&2; cat; exit 6\n');
  await shell.until(() => shell.stdout.includes('\n'));
  shell.type('to cat\n');
  shell.socket.write(encodeFrame(FRAME.closeStdin));
  expect((await shell.exit()).end).toEqual({ kind: 'exited', status: 6 });
  expect(shell.stdout).toBe('image|of the step|asked|xterm|/usr|12:34\nto cat\n');
  expect(shell.stderr).toBe('oops\n');
});

test('[SUP20] a shell on a terminal echoes, has a size that changes, and ends at the end of its input', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack({ path: 'sh', tty: { columns: 80, rows: 24 }, env: ['PS1=> '] });
  shell.type('stty size\n');
  await shell.until(() => shell.stdout.includes('24 80\r\n'));
  expect(shell.stdout).toContain('stty size\r\n');
  shell.socket.write(resizeFrame({ columns: 132, rows: 43 }));
  shell.type('stty size\n');
  await shell.until(() => shell.stdout.includes('43 132\r\n'));
  shell.socket.write(encodeFrame(FRAME.closeStdin));
  expect((await shell.exit()).end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP20] a process can be hijacked while a step runs, in the same file system', async () => {
  await using supervised = await Supervised.start(program);
  const file = join(supervised.dir, 'made');
  supervised.run(sh(`echo ready; while ! test -e ${file}; do sleep 0.02; done; echo seen`));
  await supervised.untilOutput('ready');
  await (await supervised.hijack(sh(`touch ${file}`))).exit();
  await supervised.exit();
  expect(supervised.output()).toBe('ready\nseen\n');
});

test('[SUP20] a process that cannot start has a record with the reason', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack({ path: 'no-such-shell' });
  expect((await shell.exit()).end).toMatchObject({ kind: 'not-started', cause: 'executable' });
});

test('[SUP20] input that crosses the record on its way does not cost it: the connection stays open', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack({ path: 'true' });
  expect((await shell.exit()).end).toEqual({ kind: 'exited', status: 0 });
  shell.type('too late\n');
  await supervised.result({ path: 'true' }); // the supervisor has done everything that it does at an end
  expect([shell.socket.readableEnded, shell.socket.destroyed]).toEqual([false, false]);
  shell.socket.destroy();
  expect((await supervised.result({ id: 'after', path: 'true' })).end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP21] a slow reader holds back its own process and nothing else', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack(sh('head -c 20000000 /dev/zero; echo all'));
  shell.socket.pause();
  expect((await supervised.result({ id: 'step', ...sh('echo fine') })).stdout).toBe('fine\n');
  shell.socket.resume();
  await shell.exit();
  expect(shell.stdout.length).toBe(20_000_004);
});

test('[SUP21] a process that does not read its input holds back its writer', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack(sh('sleep 0.2; cat | wc -c'));
  for (let i = 0; i < 100; i++) shell.type('x'.repeat(100_000));
  shell.socket.write(encodeFrame(FRAME.closeStdin));
  await shell.exit();
  expect(shell.stdout.trim()).toBe('10000000');
});

test('[SUP22] closing the connection hangs the process up', async () => {
  await using supervised = await Supervised.start(program);
  const polite = await supervised.hijack({ id: 'polite', path: 'sh', tty: { columns: 80, rows: 24 } });
  polite.type('echo $$.\n');
  await polite.until(() => /\d+\.\r\n/.test(polite.stdout));
  const stubborn = await supervised.hijack({
    id: 'stubborn',
    ...sh('trap "" HUP; echo $$.; while :; do sleep 0.05; done'),
  });
  await stubborn.until(() => stubborn.stdout.includes('.'));
  const pids = [polite, stubborn].map(({ stdout }) => /(\d+)\./.exec(stdout)?.[1]);
  polite.socket.destroy();
  stubborn.socket.destroy();
  const wait = pids.map((pid) => `while [ -e /proc/${pid} ]; do sleep 0.02; done`).join('; ');
  expect((await supervised.result({ id: 'wait', ...sh(wait) })).end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP22] a process that does not read its input is hung up, too', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack(sh('echo $$.; exec sleep 1000'));
  await shell.until(() => shell.stdout.includes('.'));
  for (let round = 0, waiting = 0; waiting < 2; round++) {
    waiting++;
    if (waiting === 1) shell.type('x'.repeat(50_000), () => (waiting = 0));
    await supervised.result({ id: `round-${round}`, path: 'true' }); // it has had its chance to read
  }
  shell.socket.destroy();
  const wait = `while [ -e /proc/${/(\d+)\./.exec(shell.stdout)?.[1]} ]; do sleep 0.02; done`;
  expect((await supervised.result({ id: 'wait', ...sh(wait) })).end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP22] the host ends hijacked processes too', async () => {
  await using supervised = await Supervised.start(program);
  const shell = await supervised.hijack(sh('echo ready; sleep 1000'));
  await shell.until(() => shell.stdout.includes('ready'));
  const exited = once(supervised.child, 'exit');
  supervised.child.kill('SIGTERM');
  expect((await shell.exit()).end).toMatchObject({ kind: 'interrupted' });
  expect(await exited).toEqual([143, null]);
});
