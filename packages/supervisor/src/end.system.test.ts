import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { Supervised } from './testing/supervised.ts';

const test = anyTest.skipIf(whyNoRoot());

let program = '';
let scratch = '';
beforeAll(async () => {
  program = supervisorProgram();
  scratch = mkdtempSync(join(tmpdir(), 'supervisor-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SIZE = { columns: 500, rows: 500 };
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

/** A process that has ended and been reaped is not there any more; a zombie is. */
async function untilGone(pid: string): Promise<void> {
  while (existsSync(`/proc/${pid}`)) await sleep(5);
}

test('[SUP11] the record has the usage of the process and of the children it waited for', async () => {
  await using supervised = await Supervised.start(program);
  const burn = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
  const eat = 'head -c 60000000 /dev/zero | tail -c 60000000 | wc -c';
  const { record } = await supervised.result({
    ...sh(`sh -c '${burn}'; sh -c '${eat}'; sleep 0.1`),
    attempt: '5/1/2.1',
  });
  expect(record).toMatchObject({ id: 'p', attempt: '5/1/2.1' });
  expect(record.wallSeconds).toBeGreaterThanOrEqual(0.1);
  expect(record.cpuSeconds).toBeGreaterThan(0.01);
  expect(record.peakMemoryBytes).toBeGreaterThan(59_000_000);
  const idle = await supervised.result({ id: 'idle', path: 'true' });
  expect(idle.record.peakMemoryBytes).toBeLessThan(20_000_000);
});

test('[SUP11] a signal that ends the process is in the record', async () => {
  await using supervised = await Supervised.start(program);
  expect((await supervised.result(sh('kill -SEGV $$'))).end).toEqual({ kind: 'signaled', signal: 11 });
});

/** A supervisor whose container has these files of a memory cgroup. */
function startInCgroup(files: Readonly<Record<string, string>>): Promise<Supervised> {
  const written = Object.entries(files).map(([name, text]) => `printf '${text}' > /sys/fs/cgroup/${name}`);
  const script = ['mount -t tmpfs tmpfs /sys/fs/cgroup', 'mkdir /sys/fs/cgroup/memory', ...written, 'exec "$@"'];
  return Supervised.start(program, { wrap: ['unshare', '-m', 'sh', '-c', script.join(' && '), 'sh'] });
}

describe.each([
  ['version 2', 'memory.events', 'low 0\\noom 7\\noom_kill N\\noom_group_kill 0\\n', 'memory.max', 'max\\n'],
  [
    'version 1',
    'memory/memory.oom_control',
    'oom_kill_disable 0\\nunder_oom 0\\noom_kill N\\n',
    'memory/memory.limit_in_bytes',
    '9223372036854771712\\n',
  ],
])('a memory cgroup of %s', (_, counter, counted, limit, none) => {
  const kill = { id: 'killed', ...sh(`printf '${counted.replace('N', '3')}' > /sys/fs/cgroup/${counter}; kill -9 $$`) };

  test('[SUP27] a process that the kernel killed for memory says so in its record, with the limit', async () => {
    const files = { [counter]: counted.replace('N', '2'), [limit]: '67108864\\n' };
    await using supervised = await startInCgroup(files);
    expect((await supervised.result(sh('exit 3'))).record.outOfMemory).toBeUndefined();
    const { record } = await supervised.result(kill);
    expect(record).toMatchObject({ end: { signal: 9 }, outOfMemory: { limitBytes: 67108864 } });
    expect((await supervised.result({ id: 'later', ...sh('exit 3') })).record.outOfMemory).toBeUndefined();
  });

  test('[SUP27] a container without a limit has none in the record', async () => {
    await using supervised = await startInCgroup({ [counter]: counted.replace('N', '2'), [limit]: none });
    expect((await supervised.result(kill)).record.outOfMemory).toEqual({ limitBytes: 0 });
  });
});

describe('stop', () => {
  test.each([null, SIZE])(
    '[SUP12] a trap runs, its output is recorded, and children are ended (tty %j)',
    async (tty) => {
      await using supervised = await Supervised.start(program);
      const script = 'trap "echo got it; exit 9" TERM; sleep 1000 & echo child=$!.; wait';
      supervised.run({ ...sh(script), tty });
      await supervised.untilOutput('.');
      const child = /child=(\d+)\./.exec(supervised.output())?.[1] as string;
      supervised.stop('p', 60_000);
      expect((await supervised.exit()).end).toEqual({ kind: 'exited', status: 9 });
      expect(supervised.output()).toContain('got it');
      await untilGone(child);
    },
  );

  test('[SUP12] TERM is for the process alone', async () => {
    await using supervised = await Supervised.start(program);
    const child = 'trap "echo child heard; exit" TERM; echo ready; while :; do sleep 0.05; done';
    const script = `sh -c '${child}' & trap "echo parent heard; kill -USR1 $!; exit 0" TERM; wait`;
    supervised.run(sh(script));
    await supervised.untilOutput('ready');
    supervised.stop('p', 60_000);
    await supervised.exit();
    expect(supervised.output()).toBe('ready\nparent heard\n');
  });

  test('[SUP12] a process that ignores TERM is killed after the grace period, with its session', async () => {
    await using supervised = await Supervised.start(program);
    // A shell with job control gives its child a group of its own.
    const script = 'trap "" TERM; set -m; sleep 1000 & echo $!.; while :; do sleep 0.05; done';
    supervised.run({ ...sh(script), tty: SIZE });
    await supervised.untilOutput('.');
    const child = /(\d+)\./.exec(supervised.output())?.[1] as string;
    supervised.stop('p', 100);
    expect((await supervised.exit()).end).toEqual({ kind: 'signaled', signal: 9 });
    await untilGone(child);
  });

  test('[SUP12] a grace period of 0 is KILL', async () => {
    await using supervised = await Supervised.start(program);
    supervised.run(sh('trap "" TERM; echo ready; while :; do sleep 0.05; done'));
    await supervised.untilOutput('ready');
    supervised.stop('p', 0);
    expect((await supervised.exit()).end).toEqual({ kind: 'signaled', signal: 9 });
  });

  test('[SUP12] stopping a process that has ended, or is unknown, changes nothing', async () => {
    await using supervised = await Supervised.start(program);
    await supervised.result({ path: 'true' });
    supervised.stop('p', 0);
    supervised.stop('nobody', 0);
    expect((await supervised.result({ id: 'q', path: 'true' })).end).toEqual({ kind: 'exited', status: 0 });
    expect((await supervised.exit()).end).toEqual({ kind: 'exited', status: 0 });
  });
});

test.each([null, SIZE])(
  '[SUP13] the record waits for nobody, and the rest of the session is killed (tty %j)',
  async (tty) => {
    await using supervised = await Supervised.start(program);
    const { end, stdout } = await supervised.result({ ...sh('sleep 1000 & echo $!.; exit 4'), tty });
    expect(end).toEqual({ kind: 'exited', status: 4 });
    await untilGone(/(\d+)\./.exec(stdout)?.[1] as string);
  },
);

test('[SUP14] orphans are reaped while their process runs', async () => {
  await using supervised = await Supervised.start(program);
  const go = join(scratch, 'reaped');
  supervised.run(sh(`setsid sh -c 'sleep 0.1 & echo $!.'; while ! test -e ${go}; do sleep 0.02; done`));
  await supervised.untilOutput('.');
  await untilGone(/(\d+)\./.exec(supervised.output())?.[1] as string);
  writeFileSync(go, '');
  await supervised.exit();
  const { pid } = supervised.child;
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  while (children() !== '') await sleep(5);
});

describe('what a process leaves behind', () => {
  /** Prints the id of a process that is in a session of its own and has lost its parent. */
  const leave = `setsid sh -c 'setsid env -i sleep 1000 >/dev/null 2>&1 & echo $!.'`;
  const left = (output: string) => /(\d+)\./.exec(output)?.[1] as string;

  test('[SUP26] is killed, whatever session it is in, and processes beside it keep theirs', async () => {
    await using supervised = await Supervised.start(program);
    supervised.run({ id: 'beside', ...sh(`${leave}; exec sleep 1000`) });
    await supervised.untilOutput('.', 'beside');
    const kept = left(supervised.output('beside'));
    for (const id of ['first', 'second']) {
      const { stdout, end } = await supervised.result({ id, ...sh(`${leave}; exit 4`) });
      expect(end).toEqual({ kind: 'exited', status: 4 });
      await untilGone(left(stdout));
    }
    expect(readFileSync(`/proc/${kept}/cmdline`, 'utf8')).toContain('sleep');
    supervised.stop('beside', 0);
    await supervised.exit('beside');
    await untilGone(kept);
  });

  test('[SUP26] is killed although it forks on', async () => {
    await using supervised = await Supervised.start(program);
    const marker = join(scratch, 'forks');
    const fork = `f() { touch ${marker}; sleep 0.01; f & }; f`;
    const { stdout } = await supervised.result(sh(`setsid sh -c '${fork}' >/dev/null 2>&1 & sleep 0.2; echo $$`));
    expect(stdout).not.toBe('');
    const { pid } = supervised.child;
    while (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '') await sleep(5);
    rmSync(marker);
    await supervised.result({ id: 'next', path: 'true' });
    expect(existsSync(marker)).toBe(false);
  });

  test('[SUP26] is killed too if a root process kills or stops its minder, and the end does not count', async () => {
    await using supervised = await Supervised.start(program);
    const killed = await supervised.result({ id: 'killed', ...sh('echo $$.; kill -KILL $PPID; exec sleep 1000') });
    expect(killed.end).toMatchObject({ kind: 'interrupted' });
    await untilGone(left(killed.stdout));
    supervised.run({ id: 'stopped', ...sh('kill -STOP $PPID; echo ready.; exec sleep 1000') });
    await supervised.untilOutput('ready.', 'stopped');
    supervised.stop('stopped', 0);
    expect((await supervised.exit('stopped')).end).toEqual({ kind: 'signaled', signal: 9 });
  });
});

describe('the host takes the sandbox down', () => {
  test('[SUP15] a process that ends well on TERM is not recorded as ended well', async () => {
    await using supervised = await Supervised.start(program);
    supervised.run(sh('trap "echo bye; exit 0" TERM; echo ready; while :; do sleep 0.02; done'));
    await supervised.untilOutput('ready');
    const exited = once(supervised.child, 'exit');
    supervised.child.kill('SIGTERM');
    expect((await supervised.exit()).end).toMatchObject({
      kind: 'interrupted',
      message: expect.stringContaining('host'),
    });
    expect(supervised.output()).toBe('ready\nbye\n');
    expect(await exited).toEqual([143, null]);
    expect(readFileSync(join(supervised.dir, 'records/p.exit'), 'utf8')).toContain('interrupted');
  });

  test('[SUP15] a process that ignores TERM is killed', async () => {
    await using supervised = await Supervised.start(program);
    supervised.run(sh('trap "" TERM; echo ready; while :; do sleep 0.02; done'));
    await supervised.untilOutput('ready');
    const exited = once(supervised.child, 'exit');
    supervised.child.kill('SIGTERM');
    expect((await supervised.exit()).end).toMatchObject({ kind: 'interrupted' });
    expect(await exited).toEqual([143, null]);
  });

  test('[SUP15] the supervisor exits at once when nothing runs, and records remain', async () => {
    await using supervised = await Supervised.start(program);
    await supervised.result({ path: 'true' });
    const exited = once(supervised.child, 'exit');
    supervised.child.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    expect(readFileSync(join(supervised.dir, 'records/p.exit'), 'utf8')).toContain('"exited","status":0');
  });
});

/** A supervisor one of whose directories has no more room than this. */
async function startWithSmall(name: 'output' | 'records', kilobytes: number, then = ':'): Promise<Supervised> {
  const dir = mkdtempSync(join(scratch, 'full-'));
  mkdirSync(join(dir, name));
  const mount = `mount -t tmpfs -o size=${kilobytes}k tmpfs ${dir}/${name} && cd ${dir}/${name} && ${then} && exec "$@"`;
  return Supervised.start(program, { dir, wrap: ['unshare', '-m', 'sh', '-c', mount, 'sh'] });
}

test('[SUP16] output that cannot be written is an interruption', async () => {
  await using supervised = await startWithSmall('output', 64);
  supervised.run(sh('trap "" TERM; cat /dev/zero'));
  const { end } = await supervised.exit();
  expect(end).toMatchObject({ kind: 'interrupted', message: expect.stringContaining('No space left') });
});

test('[SUP16] a record that cannot be written is sent, and leaves no half file', async () => {
  await using supervised = await startWithSmall('records', 8, 'head -c 8192 /dev/zero > filler');
  expect((await supervised.result(sh('exit 3'))).end).toEqual({ kind: 'exited', status: 3 });
  await supervised.untilLog('cannot write the exit record of p: No space left');
  expect((await supervised.result({ id: 'q', ...sh(`ls -A ${supervised.dir}/records`) })).stdout).toBe('filler\n');
});
