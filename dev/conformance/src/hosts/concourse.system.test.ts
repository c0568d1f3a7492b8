import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { test as anyTest, expect, vi } from 'vitest';
import { LAYOUT } from '../concourse/layout.ts';
import { CONCOURSE_URL } from '../concourse/server.ts';
import type { Results } from '../report/results.ts';
import { whyNoSuite } from '../testing/why-no-suite.ts';
import { concourseHost } from './concourse.ts';

const test = anyTest.skipIf(concourseHost.whyNot?.() ?? whyNoSuite());

const MAIN = join(import.meta.dirname, '../main.ts');
/** The first run builds Concourse, containerd and runc. */
const BUILD_TIMEOUT_MS = 1_500_000;

/** Lists what a running Concourse has on the machine, except files and cgroups. */
async function alive(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`${LAYOUT.state}/`)) found.push(`process ${command.replaceAll('\0', ' ')}`);
  }
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  if (mounts.includes(LAYOUT.state)) found.push('mounts');
  for (const device of [LAYOUT.hostLink, 'concourse0']) {
    if (existsSync(`/sys/class/net/${device}`)) found.push(`device ${device}`);
  }
  const { stdout: rules } = await run('iptables-save', []);
  if (/concourse|10\.80\./i.test(rules)) found.push('packet filter rules');
  return found;
}

async function files(): Promise<string[]> {
  const { stdout } = await run('find', ['/sys/fs/cgroup', '-maxdepth', '2', '-name', LAYOUT.cgroup]);
  const cgroups = stdout.split('\n').filter(Boolean);
  return [...cgroups, ...[LAYOUT.state, LAYOUT.lockFile].filter((path) => existsSync(path))];
}

async function serve(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, '--host', 'concourse', '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('log in with:')) return child;
  throw new Error('Concourse did not start');
}

test('[CONF16] a spec passes on it and [CONF17] nothing is left', { timeout: BUILD_TIMEOUT_MS }, async () => {
  const out = await mkdtemp(join(tmpdir(), 'conformance-out-'));
  try {
    await run(process.execPath, [MAIN, '--host', 'concourse', '--focus', '^do_test', '--out', out], { ok: [0, 1] });
    const results = JSON.parse(await readFile(join(out, 'conformance/concourse.json'), 'utf8')) as Results;
    expect(results.specs.filter(({ state }) => state === 'pass').map(({ name }) => name)).toEqual([
      'A pipeline containing a do performs the do steps',
    ]);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
  expect(await alive()).toEqual([]);
  expect(await files()).toEqual([]);
});

test('[CONF17] killed, it leaves nothing alive; it starts again, and a signal ends it', {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  const killed = await serve();
  expect(await alive()).not.toEqual([]);
  killed.kill('SIGKILL');
  await vi.waitUntil(async () => (await alive()).length === 0, { timeout: 30_000 });

  const stopped = await serve();
  expect(await (await fetch(`${CONCOURSE_URL}/api/v1/info`)).json()).toMatchObject({ version: '7.14.2' });
  const ended = once(stopped, 'exit');
  stopped.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await alive()).toEqual([]);
  expect(await files()).toEqual([]);
});
