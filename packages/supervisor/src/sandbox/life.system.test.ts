import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { imageRootfs } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { test as anyTest, beforeAll, expect } from 'vitest';
import { MANY_IDS, makePlace, type Place, startIn, whyNoBusybox } from '../testing/sandboxed.ts';

const test = anyTest.skipIf(whyNoBusybox());
const program = supervisorProgram();
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

let busybox = '';
beforeAll(async () => {
  if (!whyNoBusybox()) busybox = await imageRootfs('busybox', stderrProgress('test'));
});

test('[SUP33] one lock has one sandbox: a second start ends with status 75 and changes nothing', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, MANY_IDS);
  expect(readFileSync(place.at('pid'), 'utf8')).toBe(`${supervised.child.pid}\n`);
  const second = await keeperOf(place, MANY_IDS);
  expect(second.status).toBe(75);
  expect(second.words).toContain(`${place.at('lock')} is locked`);
  expect(readFileSync(place.at('pid'), 'utf8')).toBe(`${supervised.child.pid}\n`);
  expect(existsSync(place.at('over'))).toBe(false);
  expect((await supervised.result(sh('echo runs'))).stdout).toBe('runs\n');
});

test('[SUP34] TERM to the keeper deletes the sandbox, and the keeper leaves the end in a file', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, MANY_IDS);
  const id = supervised.run(sh('trap "echo told; exit 4" TERM; echo up; while :; do sleep 0.05; done'));
  await supervised.untilOutput('up');
  for (const ignored of ['SIGINT', 'SIGHUP'] as const) supervised.child.kill(ignored);
  const ended = once(supervised.child, 'exit');
  supervised.child.kill('SIGTERM');
  expect((await supervised.exit(id)).end).toMatchObject({ kind: 'interrupted' });
  expect(await ended).toEqual([143, null]);
  expect(supervised.output(id)).toBe('up\ntold\n');
  expect(readFileSync(place.at('over'), 'utf8')).toBe('the supervisor exited with status 143\n');
});

test('[SUP34] a supervisor that is killed is reported by its signal', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, MANY_IDS);
  const ended = once(supervised.child, 'exit');
  process.kill(firstProcessOf(supervised.child.pid as number), 'SIGKILL');
  expect(await ended).toEqual([137, null]);
  expect(readFileSync(place.at('over'), 'utf8')).toMatch(/^the supervisor was killed by signal 9 \(.*\)\n$/);
});

test('[SUP35] nothing is left of a sandbox whose keeper or supervisor is killed: no process, no mount', async () => {
  for (const victim of ['keeper', 'supervisor'] as const) {
    using place = makePlace();
    const before = readFileSync('/proc/self/mountinfo', 'utf8');
    const supervised = await startIn(place, program, busybox, MANY_IDS);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).toBe(before);
    supervised.run(sh('setsid sleep 1000 & trap "" TERM; echo up; sleep 1000'));
    await supervised.untilOutput('up');
    const keeper = supervised.child.pid as number;
    const first = firstProcessOf(keeper);
    const namespace = readlinkSync(`/proc/${first}/ns/pid`);
    expect(processesIn(namespace).length).toBeGreaterThan(3);
    process.kill(victim === 'keeper' ? keeper : first, 'SIGKILL');
    while (processesIn(namespace).length > 0) await sleep(5);
    await supervised[Symbol.asyncDispose]();
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).toBe(before);
  }
});

const MEMORY = '/sys/fs/cgroup/memory';
/** Version 1 has the memory controller below its own name. */
const whyNoCgroup = () => whyNoBusybox() ?? (existsSync(join(MEMORY, 'cgroup.procs')) ? undefined : 'no cgroup v1');

anyTest.skipIf(whyNoCgroup())(
  '[SUP36] a sandbox is in its cgroups, sees them as its own, and its keeper is not',
  async () => {
    using place = makePlace();
    const cgroup = join(MEMORY, `seaplane-test-${process.pid}`);
    mkdirSync(cgroup);
    try {
      writeFileSync(join(cgroup, 'memory.limit_in_bytes'), String(64 * 2 ** 20));
      const supervised = await startIn(place, program, busybox, [
        ...MANY_IDS,
        '--cgroup',
        join(cgroup, 'cgroup.procs'),
      ]);
      const look = 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes; grep memory /proc/self/cgroup';
      const { stdout } = await supervised.result(sh(look));
      expect(stdout).toMatch(new RegExp(`^${64 * 2 ** 20}\n\\d+:memory:/\n$`));
      const joined = readFileSync(join(cgroup, 'cgroup.procs'), 'utf8').trim().split('\n');
      expect(joined).toEqual([String(firstProcessOf(supervised.child.pid as number))]);
      const hungry = await supervised.result({
        id: 'hungry',
        ...sh('x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo ${#x}'),
      });
      expect(hungry.record).toMatchObject({ outOfMemory: { limitBytes: 64 * 2 ** 20 } });
      await supervised[Symbol.asyncDispose]();
    } finally {
      for (let gone = false; !gone; await sleep(5)) gone = removed(cgroup);
    }
  },
);

test('[SUP37] a sandbox that cannot be made is one line of words, also in the file', async () => {
  const cases: [extra: readonly string[], words: RegExp][] = [
    [
      [...MANY_IDS, '--lower', '/no/such/layer'],
      /cannot use \/no\/such\/layer in the sandbox: No such file or directory/,
    ],
    [
      [...MANY_IDS, '--bind', '/no/such/volume', '/volume'],
      /cannot use \/no\/such\/volume in the sandbox: No such file/,
    ],
    [[...MANY_IDS, '--bind', '/etc', '/proc/self/x'], /cannot make \/proc\/self\/x of the sandbox/],
    [
      [...MANY_IDS, '--cgroup', '/no/such/cgroup.procs'],
      /cannot join the cgroup \/no\/such\/cgroup.procs: No such file/,
    ],
    [['--ids', '4294967200', '65536'], /cannot map the ids from 4294967200 of the sandbox: Invalid argument/],
  ];
  for (const [extra, words] of cases) {
    using place = makePlace();
    const failed = await keeperOf(place, extra);
    expect(failed.status).toBe(125);
    expect(failed.words).toMatch(/^supervisor: [^\n]+\n$/);
    expect(failed.words).toMatch(words);
    expect(`supervisor: ${readFileSync(place.at('over'), 'utf8')}`).toBe(failed.words);
  }
});

test('[SUP37] a file system that takes no overlay is named', async () => {
  using place = makePlace();
  // The sandbox's own root is an overlay, and so is its scratch directory then.
  await using supervised = await startIn(place, program, busybox, ['--privileged', '--robind', program, '/supervisor']);
  const make = 'mkdir -p /s/upper /s/work /l; /supervisor --enter --privileged --lower /l --scratch /s --';
  const { end, stderr } = await supervised.result(sh(make));
  expect(end).toEqual({ kind: 'exited', status: 125 });
  expect(stderr).toContain('the file system of /s is overlay, which takes no overlay; choose a data directory on ext4');
});

/** Runs a keeper that is expected to end by itself. */
async function keeperOf(place: Place, extra: readonly string[]): Promise<{ status: number; words: string }> {
  const child = spawn(program, place.options(busybox, extra), { stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words += chunk;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, words };
}

function firstProcessOf(keeper: number): number {
  return Number(readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim());
}

function processesIn(namespace: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/pid`) === namespace;
    } catch {
      return false; // it has ended
    }
  });
}

function removed(cgroup: string): boolean {
  try {
    rmdirSync(cgroup);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    return false;
  }
}
