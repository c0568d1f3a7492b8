import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { constants, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { test as anyTest, expect } from 'vitest';
import { makePlace, type Place } from '../testing/sandboxed.ts';
import { Supervised } from '../testing/supervised.ts';

const test = anyTest.skipIf(process.platform !== 'linux' && 'the test looks at /proc');
const program = supervisorProgram();
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

function plainOptions({ at }: Place): string[] {
  return ['--plain', '--build', at('build'), '--lock', at('lock'), '--pid', at('pid'), '--over', at('over'), '--'];
}

function startPlain(place: Place): Promise<Supervised> {
  return Supervised.start(program, { dir: place.at('control'), options: plainOptions(place) });
}

test('[SUP43] a plain process is one of this machine, and works below the directory that is the build directory', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  const script = sh('pwd; readlink /proc/self/ns/pid; id -un');
  const { username } = userInfo();
  const { stdout } = await supervised.result({ id: 'a', ...script, dir: '/tmp/build/new/one', user: username });
  expect(stdout).toBe(`${place.at('build')}/new/one\n${readlinkSync('/proc/self/ns/pid')}\n${username}\n`);
  expect((await supervised.result({ id: 'b', ...sh('pwd'), dir: '' })).stdout).toBe(`${place.at('build')}\n`);
  expect((await supervised.result({ id: 'c', ...sh('pwd'), dir: '/usr' })).stdout).toBe('/usr\n');
});

test('[SUP43] a plain process of another user is not started, and no file changes its owner', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  mkdirSync(place.at('build/own'));
  const { end } = await supervised.result({ ...sh('true'), user: 'somebody', own: ['/tmp/build/own'] });
  const words = `this worker runs steps as plain processes of the user ${userInfo().username}, so it cannot run one as "somebody"`;
  expect(end).toEqual({ kind: 'not-started', cause: 'user', message: words });
  const own = await supervised.result({ id: 'own', ...sh('true'), own: ['/no/such/directory'] });
  expect(own.end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP43] a plain process and everything that it has left behind end together', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  const script = `(setsid sh -c 'echo $$ > ${place.at('build')}/stray; exec sleep 600' &) ; until [ -s stray ]; do sleep 0.02; done`;
  await supervised.result({ ...sh(script), dir: '/tmp/build' });
  await untilEnded(Number(readFileSync(place.at('build/stray'), 'utf8')));
});

test('[SUP33] one lock has one plain sandbox', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  const second = spawn(program, plainOptions(place), { stdio: 'ignore' });
  expect(await once(second, 'exit')).toEqual([75, null]);
  expect(readFileSync(place.at('pid'), 'utf8')).toBe(`${supervised.child.pid}\n`);
});

test('[SUP34] TERM to the keeper of a plain sandbox deletes it', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  const id = supervised.run(sh('trap "echo told; exit 4" TERM; echo up; while :; do sleep 0.05; done'));
  await supervised.untilOutput('up');
  const ended = once(supervised.child, 'exit');
  supervised.child.kill('SIGTERM');
  expect((await supervised.exit(id)).end).toMatchObject({ kind: 'interrupted' });
  expect(await ended).toEqual([143, null]);
  expect(supervised.output(id)).toBe('up\ntold\n');
  expect(readFileSync(place.at('over'), 'utf8')).toBe('the supervisor exited with status 143\n');
});

test.each(['keeper', 'supervisor'] as const)(
  '[SUP44] a plain sandbox whose %s is killed leaves no process',
  async (victim) => {
    using place = makePlace();
    const supervised = await startPlain(place);
    const keeper = supervised.child.pid as number;
    const supervisor = Number(readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8'));
    const script = `echo $$ > one; sh -c 'echo $$ > two; exec sleep 600'`;
    supervised.run({
      ...sh(`${script} & until [ -s two ]; do sleep 0.02; done; echo up; sleep 600`),
      dir: '/tmp/build',
    });
    await supervised.untilOutput('up');
    const [one, two] = ['one', 'two'].map((name) => Number(readFileSync(place.at(`build/${name}`), 'utf8')));
    const ended = once(supervised.child, 'exit');
    process.kill(victim === 'keeper' ? keeper : supervisor, 'SIGKILL');
    await ended;
    for (const pid of [supervisor, one, two]) await untilEnded(pid as number);
    expect(existsSync(place.at('over'))).toBe(victim === 'supervisor');
    await supervised[Symbol.asyncDispose]();
  },
);

test('[SUP44] the keeper has a handler for the end of the supervisor, because macOS drops the signal without one', async () => {
  using place = makePlace();
  await using supervised = await startPlain(place);
  const status = readFileSync(`/proc/${supervised.child.pid}/status`, 'utf8');
  const [, caught = ''] = /^SigCgt:\s*(\w+)$/m.exec(status) ?? [];
  expect((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGCHLD - 1)) & 1n).toBe(1n);
});

test('[SUP45] a lock is held for a program until that ends', async () => {
  using place = makePlace();
  writeFileSync(place.at('lock'), '');
  const holder = spawn(program, ['--hold', place.at('lock')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await once(holder.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('held\n');
  const refused = spawn(program, ['--hold', place.at('lock')], { stdio: ['pipe', 'ignore', 'inherit'] });
  expect(await once(refused, 'exit')).toEqual([75, null]);
  const ended = once(holder, 'exit');
  holder.stdin.end();
  expect(await ended).toEqual([0, null]);
});

/** The process has ended, or is a zombie that nobody has reaped yet. */
async function untilEnded(pid: number): Promise<void> {
  while (commandOf(pid) !== '') await sleep(20);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
