import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  encodeFrame,
  FRAME,
  forgetFrame,
  SUPERVISOR_PROTOCOL,
  supervisorProgram,
} from '@seaplane/baggageclaim/testing';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, expect } from 'vitest';
import { Supervised } from './testing/supervised.ts';

const test = anyTest.skipIf(whyNoRoot());

let program = '';
beforeAll(async () => {
  program = supervisorProgram();
});

const SIZE = { columns: 500, rows: 500 };
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

test('[SUP17] the supervisor first sends its protocol version and its processes', async () => {
  await using supervised = await Supervised.start(program);
  expect(supervised.hellos[0]).toEqual(['control', SUPERVISOR_PROTOCOL]);
});

test('[SUP17] baggageclaim may go and come back: processes run on, and their records are sent again', async () => {
  await using supervised = await Supervised.start(program);
  await supervised.result({ id: 'before', path: 'false', attempt: 'b' });
  supervised.run({
    id: 'during',
    attempt: 'd',
    ...sh('echo ready; while ! test -e "$0"; do sleep 0.02; done; echo more'),
  });
  supervised.run({ id: 'ends-meanwhile', attempt: 'm', ...sh('echo $$; exit 5') });
  await supervised.untilOutput('ready', 'during');
  supervised.goAway();
  await supervised.listen();
  await supervised.connected(2);
  expect(supervised.hellos[1]?.slice(0, 2)).toEqual(['control', SUPERVISOR_PROTOCOL]);
  const known = supervised.hellos[1]?.slice(2) ?? [];
  expect(new Map(known.flatMap((id, i) => (i % 2 ? [] : [[id, known[i + 1]]])))).toEqual(
    new Map([
      ['before', 'b'],
      ['during', 'd'],
      ['ends-meanwhile', 'm'],
    ]),
  );
  expect((await supervised.exit('before')).end).toEqual({ kind: 'exited', status: 1 });
  expect((await supervised.exit('ends-meanwhile')).end).toEqual({ kind: 'exited', status: 5 });
  supervised.stop('during', 0);
  expect((await supervised.exit('during')).end).toEqual({ kind: 'signaled', signal: 9 });
});

test('[SUP17] every request to run is confirmed', async () => {
  await using supervised = await Supervised.start(program);
  supervised.run({ path: 'sleep', args: ['1000'] });
  await supervised.untilGrown('p', 1);
  supervised.run({ path: 'sleep', args: ['1000'] });
  await supervised.untilGrown('p', 2);
  supervised.stop('p', 0);
});

test('[SUP17] a request sent just before the connection was lost is done', async () => {
  await using supervised = await Supervised.start(program);
  supervised.run({ id: 'noisy', ...sh('echo $$.; while :; do echo noise; done') });
  await supervised.untilOutput('.', 'noisy');
  const status = `/proc/${Number.parseInt(supervised.output('noisy'), 10)}/status`;
  supervised.child.kill('SIGSTOP');
  // Its pipe is full: there is much to tell when the supervisor goes on, and nobody to tell it to.
  while (!/^State:\s+S/m.test(readFileSync(status, 'utf8'))) await sleep(5);
  supervised.run({ id: 'asked', path: 'true', stdin: 'x'.repeat(100_000) });
  await supervised.sent();
  supervised.goAway();
  await supervised.listen();
  supervised.child.kill('SIGCONT');
  await supervised.connected(2);
  expect(supervised.hellos[1]).toContain('asked');
  supervised.stop('noisy', 0);
});

test('[SUP17] the supervisor disconnects from a peer that it does not understand, and reconnects', async () => {
  await using supervised = await Supervised.start(program);
  supervised.send(encodeFrame(99, 'what?'));
  await supervised.connected(2);
  supervised.send(encodeFrame(FRAME.run, 'cut short'));
  await supervised.connected(3);
  supervised.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await supervised.connected(4);
  expect((await supervised.result({ path: 'true' })).end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP17] a process whose id is not a file name is not started', async () => {
  await using supervised = await Supervised.start(program);
  supervised.run({ id: '../evil', path: 'true' });
  await supervised.connected(2);
  expect(readdirSync(supervised.dir).sort()).toEqual(['output', 'records', 'socket']);
});

test('[SUP17] growing output is reported', async () => {
  await using supervised = await Supervised.start(program);
  supervised.run(sh('echo one; read -r _ < /dev/zero'));
  await supervised.untilOutput('one');
  expect(supervised.grown).toContain('p');
});

test('[SUP25] every control connection has the same secret, and every record its seal', async () => {
  await using supervised = await Supervised.start(program);
  await using other = await Supervised.start(program);
  await supervised.result({ path: 'true', attempt: 'x'.repeat(200) });
  supervised.goAway();
  await supervised.listen();
  await supervised.connected(2);
  const [secret = '', again] = supervised.secrets;
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(again).toBe(secret);
  expect(other.secrets[0]).not.toBe(secret);
  const [json = '', seal] = readFileSync(join(supervised.dir, 'records/p.exit'), 'utf8').split('\n');
  expect(seal).toBe(createHmac('sha256', secret).update(json).digest('hex'));
});

/** The capabilities that a container has if nobody asks for others. */
const DEFAULT_CAPABILITIES =
  '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+sys_chroot,+mknod,+audit_write,+setfcap';

test("[SUP25] a root process cannot read the supervisor's memory or take its descriptors", async () => {
  const wrap = ['setpriv', `--bounding-set=${DEFAULT_CAPABILITIES}`, '--inh-caps=-all'];
  await using supervised = await Supervised.start(program, { wrap });
  const { pid } = supervised.child;
  const names = ['environ', 'maps', 'mem', 'auxv', 'fd/0'];
  const script = `for name in ${names.join(' ')}; do cat /proc/${pid}/$name; done; cat /proc/self/maps`;
  const { stdout, stderr } = await supervised.result(sh(script));
  expect(stderr.match(/Permission denied/g)).toHaveLength(names.length);
  expect(stdout).toContain('[stack]'); // of the process itself, which is not hidden
});

test('[SUP18] the log has the output for people: that of a terminal, and stderr', async () => {
  await using supervised = await Supervised.start(program);
  await supervised.result({ id: 'script', ...sh('echo "{}"; echo for-people >&2') });
  await supervised.result({ id: 'task', ...sh('echo from-the-task'), tty: SIZE });
  await supervised.untilLog('from-the-task');
  expect(supervised.log).toBe('for-people\nfrom-the-task\r\n');
});

test('[SUP18] a log that nobody reads holds nothing back', async () => {
  await using supervised = await Supervised.start(program);
  supervised.child.stdout?.pause();
  const { end, stderr } = await supervised.result(sh('head -c 5000000 /dev/zero >&2'));
  expect(end).toEqual({ kind: 'exited', status: 0 });
  expect(stderr.length).toBe(5_000_000);
  supervised.child.stdout?.resume();
  await supervised.untilLog('bytes are not shown here]');
  await supervised.result({ id: 'next', ...sh('echo next >&2') });
  await supervised.untilLog('next');
  expect(supervised.log).toMatch(/\n\[\d+ bytes are not shown here\]\nnext\n$/);
});

test('[SUP19] a forgotten process leaves nothing, and its id can run again', async () => {
  await using supervised = await Supervised.start(program);
  await supervised.result({ path: 'true' });
  supervised.send(forgetFrame('p'));
  await supervised.result({ id: 'after', path: 'true' });
  expect(existsSync(join(supervised.dir, 'records/p.exit'))).toBe(false);
  expect(readdirSync(join(supervised.dir, 'output')).sort()).toEqual(['after.stderr', 'after.stdout']);
  supervised.run({ id: 'p', attempt: 'second', ...sh('exit 8') });
  while ((await supervised.exit()).attempt !== 'second') await supervised.untilNextExit();
  expect((await supervised.exit()).end).toEqual({ kind: 'exited', status: 8 });
});

test('[SUP19] a process that runs is not forgotten', async () => {
  await using supervised = await Supervised.start(program);
  supervised.run(sh('echo ready; sleep 1000'));
  await supervised.untilOutput('ready');
  supervised.send(forgetFrame('p'));
  supervised.stop('p', 0);
  expect((await supervised.exit()).end).toEqual({ kind: 'signaled', signal: 9 });
});
