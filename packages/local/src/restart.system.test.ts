import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveImage } from './agent/images.ts';
import { makeSandboxDirectory } from './agent/sandbox-directory.ts';
import { hashOf, placesIn, SUPERVISOR } from './places.ts';
import { resetLocal } from './reset-local.ts';
import { finish, sandbox, shell, shellRequest, specOf, untilPhase } from './testing/sandboxes.ts';
import { killAgent, openTestHost, type TestHost, whyNoLocalHost } from './testing/test-host.ts';

const ROUNDS = 4;
const LINES = 100;
/** Prints numbered lines, waits for a file after each hundred, and notes each start of itself. */
const COUNT = `echo started >> /tmp/build/starts
for round in $(seq ${ROUNDS}); do
  for i in $(seq ${LINES}); do echo line $round $i; done
  until [ -e /tmp/build/go-$round ]; do sleep 0.01; done
done
exit 7`;
const EXPECTED = Array.from({ length: ROUNDS * LINES }, (_, index) => {
  return `line ${Math.floor(index / LINES) + 1} ${(index % LINES) + 1}\n`;
}).join('');

describe.skipIf(whyNoLocalHost())('a local worker that is interrupted', () => {
  let opened: TestHost;

  beforeEach(async () => {
    opened = await openTestHost();
  });

  afterEach(() => opened[Symbol.asyncDispose]());

  const placeOf = (handle: string, ...names: string[]) => join(opened.directory, 'sandboxes', hashOf(handle), ...names);

  test('[LOCAL1] kill -9 of the agent loses and doubles no line, and starts nothing twice', async () => {
    const client = await sandbox(opened.host, specOf('task-count'));
    const count = shellRequest('count', COUNT);
    await client.run(count, AbortSignal.timeout(60_000));
    let rounds = 0;
    const ended = await finish(client, count, (stdout) => {
      if (!stdout.endsWith(`line ${rounds + 1} ${LINES}\n`)) return;
      killAgent(opened.directory);
      writeFileSync(placeOf('task-count', `build/go-${++rounds}`), '');
    });
    expect(rounds).toBe(ROUNDS);
    expect(ended).toMatchObject({ stdout: EXPECTED, end: { kind: 'exited', status: 7 } });
    await client.run(count, AbortSignal.timeout(60_000));
    expect(await readFile(placeOf('task-count', 'build/starts'), 'utf8')).toBe('started\n');
  });

  test('[LOCAL2] a process goes on without web and agent, and the next web reads all of it', async () => {
    const client = await sandbox(opened.host, specOf('task-count'));
    const count = shellRequest('count', COUNT);
    await client.run(count, AbortSignal.timeout(60_000));
    opened.host[Symbol.dispose]();
    for (let round = 1; round <= ROUNDS; round++) await writeFile(placeOf('task-count', `build/go-${round}`), '');
    await expect.poll(() => readFile(placeOf('task-count', 'build/.seaplane/count.stdout'), 'utf8')).toBe(EXPECTED);
    const next = opened.open();
    await untilPhase(next, 'task-count', 'ready');
    const again = await next.connect('task-count');
    expect(await finish(again, count)).toMatchObject({ stdout: EXPECTED, end: { kind: 'exited', status: 7 } });
    await again.run(count, AbortSignal.timeout(60_000));
    expect(await readFile(placeOf('task-count', 'build/starts'), 'utf8')).toBe('started\n');
  });

  test('[LOCAL2] two webs share one agent', async () => {
    await sandbox(opened.host, specOf('task-shared'));
    const second = opened.open();
    expect(await second.list(AbortSignal.timeout(60_000))).toEqual(['task-shared']);
    expect((await shell(await second.connect('task-shared'), 'echo', 'echo both')).stdout).toBe('both\n');
  });

  test('[LOCAL2] calls that find the agent gone at the same time start one agent', async () => {
    const soon = () => AbortSignal.timeout(60_000);
    await sandbox(opened.host, specOf('task-called'));
    killAgent(opened.directory);
    const calls = Array.from({ length: 5 }, () => opened.host.list(soon()));
    const watched = untilPhase(opened.host, 'task-called', 'ready');
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 5 }, () => ['task-called']));
    await watched;
    opened.host[Symbol.dispose]();
    await expect(resetLocal(opened.directory)).resolves.toBeUndefined();
  });

  test('[LOCAL3] a sandbox whose keeper was killed is failed, and not started again', async () => {
    await sandbox(opened.host, specOf('task-killed'));
    process.kill(Number(await readFile(placeOf('task-killed', 'pid'), 'utf8')), 'SIGKILL');
    expect(await untilPhase(opened.host, 'task-killed', 'failed')).toEqual({
      phase: 'failed',
      code: 'ended',
      reason: 'the sandbox has ended: its processes were killed from outside',
    });
    killAgent(opened.directory);
    expect(await untilPhase(opened.open(), 'task-killed', 'failed')).toMatchObject({ phase: 'failed' });
  });

  test('[LOCAL4] a sandbox from before a restart of the machine is failed by name', async () => {
    await sandbox(opened.host, specOf('task-old'));
    opened.host[Symbol.dispose]();
    const file = placeOf('task-old', 'spec.json');
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), bootId: 'another' }));
    expect(await untilPhase(opened.open(), 'task-old', 'failed')).toEqual({
      phase: 'failed',
      code: 'node-lost',
      reason: 'the machine was restarted while the sandbox was there',
    });
  });

  test('[LOCAL5] a sandbox whose agent was killed before it started anything is started by the next', async () => {
    await sandbox(opened.host, specOf('task-made'));
    await opened.host.destroy('task-made');
    await expect.poll(() => opened.host.list(AbortSignal.timeout(60_000))).toEqual([]);
    opened.host[Symbol.dispose]();
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const places = placesIn(opened.directory);
    const none = () => Promise.reject(new Error('no registry'));
    const parts = { places, store: {} as never, pull: none, load: none, findPulled: none };
    const image = await resolveImage(parts, { reference: 'host' });
    await makeSandboxDirectory(places, { spec: specOf('task-made'), image, bootId }, SUPERVISOR);
    await mkdir(join(places.incoming, 'half'));
    const next = opened.open();
    await untilPhase(next, 'task-made', 'ready');
    expect((await shell(await next.connect('task-made'), 'echo', 'echo runs')).stdout).toBe('runs\n');
    await expect.poll(() => readdir(places.incoming)).toEqual([]);
  });

  test('[LOCAL5] a sandbox whose description was lost with the power is removed, and the others are there', async () => {
    await sandbox(opened.host, specOf('task-kept'));
    opened.host[Symbol.dispose]();
    await mkdir(placeOf('task-lost', 'build'), { recursive: true });
    await writeFile(placeOf('task-lost', 'spec.json'), '');
    const next = opened.open();
    await untilPhase(next, 'task-kept', 'ready');
    const there = () => readdir(join(opened.directory, 'sandboxes'));
    await expect.poll(() => next.list(AbortSignal.timeout(60_000)).then(there)).toEqual([hashOf('task-kept')]);
  });

  test('[LOCAL14] an agent of another database refuses the directory', async () => {
    await sandbox(opened.host, specOf('task-mine'));
    const other = opened.open({ installation: 'other' });
    const taken = expect.stringContaining('is in use by another installation');
    expect(await other.check(AbortSignal.timeout(60_000))).toEqual({ usable: false, problems: [taken] });
    opened.host[Symbol.dispose]();
    const foreign = expect.stringContaining('belongs to another database');
    await expect
      .poll(() => opened.open({ installation: 'other' }).check(AbortSignal.timeout(60_000)))
      .toEqual({ usable: false, problems: [foreign] });
  });

  test('[LOCAL15] a directory in use is not removed', async () => {
    await sandbox(opened.host, specOf('task-mine'));
    await expect(resetLocal(opened.directory)).rejects.toThrow(`another agent works in ${opened.directory}`);
    expect(await opened.host.list(AbortSignal.timeout(60_000))).toEqual(['task-mine']);
  });
});
