import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { GitDaemon } from '@seaplane/web/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const BIN = fileURLToPath(new URL('../../bin/seaplane.mjs', import.meta.url));

const PIPELINE = `
resources:
- name: src
  type: git
  source: { uri: https://git.invalid/repository }
- name: release
  type: git
  source: { uri: https://git.invalid/release }
- name: repo
  type: git
  source: { uri: ((uri)), branch: main }
- name: pushed
  type: git
  source: { uri: ((uri)), branch: pushed }
jobs:
- name: publish
  plan:
  - get: repo
  - put: pushed
    params: { repository: repo }
- name: unit
  plan:
  - get: src
    passed: [earlier]
  - task: test
    tags: [gpu]
    file: src/task.yml
    params: { NAME: ((name)) }
  - put: release
    params: { repository: made }
- name: fails
  plan:
  - task: fail
    config: { platform: linux, run: { path: sh, args: [-c, "echo broken > out/log; exit 3"] }, outputs: [{ name: out }] }
- name: errors
  plan: [{ get: src }]
- name: counts
  plan:
  - task: count
    config:
      platform: linux
      caches: [{ path: kept }]
      run: { path: sh, args: [-c, "echo x >> kept/runs; wc -l < kept/runs"] }
- name: waits
  plan:
  - task: wait
    config: { platform: linux, run: { path: sh, args: [-c, "echo waiting; sleep 1000"] } }
    on_abort:
      task: after
      config: { platform: linux, run: { path: echo, args: [the hook ran] } }
- name: earlier
  plan: [{ get: src }]
`;
const TASK = `
platform: linux
inputs: [{ name: src }]
outputs: [{ name: made }]
params: { NAME: }
run:
  path: sh
  args:
  - -ec
  - |
    printf '\\033[32mhello %s\\033[0m\\n' "$NAME"
    stat -c '%u %a %Y' src/script
    cp src/script made/
`;

describe.skipIf(whyNoRoot())('seaplane run', () => {
  let temporary: TemporaryDirectory;
  let folder: string;
  let dataDir: string;
  let config: string;

  beforeAll(async () => {
    temporary = await temporaryDirectory();
    folder = temporary.path;
    dataDir = join(folder, 'data');
    config = join(folder, 'pipeline.yml');
    await writeFile(config, PIPELINE);
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/task.yml'), TASK);
    await writeFile(join(folder, 'src/script'), 'text\n');
    await chmod(join(folder, 'src/script'), 0o750);
  });

  afterAll(async () => {
    expect(await seaplane(['--reset'])).toMatchObject({ code: 0 });
    await temporary[Symbol.asyncDispose]();
  });

  interface Started {
    readonly child: ChildProcess;
    readonly ended: Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }>;
    /** Resolves when the text is in the command's output. */
    readonly shown: (text: string) => Promise<void>;
  }

  function start(args: readonly string[]): Started {
    const child = spawn(process.execPath, [BIN, 'run', '--data-dir', dataDir, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { stdout: '', stderr: '' };
    const waiting = new Set<() => void>();
    const wake = () => {
      for (const each of waiting) each();
    };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
        wake();
      });
    }
    const ended = once(child, 'close').then(([code, signal]) => {
      wake();
      return { code: (signal ?? code) as number | string, ...text };
    });
    const shown = async (wanted: string) => {
      while (!(text.stdout + text.stderr).includes(wanted)) {
        if (child.exitCode !== null) throw new Error(`it ended without "${wanted}":\n${text.stdout}${text.stderr}`);
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    };
    return { child, ended, shown };
  }

  const seaplane = (args: readonly string[]) => start(args).ended;
  const job = (name: string, ...args: string[]) => seaplane(['-c', config, '-j', name, ...args]);

  /** What is left of sandboxes: directories on disk, and processes that run in them. */
  async function leftovers(): Promise<string[]> {
    const slots = await readdir(dataDir);
    const found = await Promise.all(slots.map((slot) => readdir(join(dataDir, slot, 'local/sandboxes'))));
    return found.flat();
  }

  test('[RUN1] [RUN4] [RUN5] [RUN6] [RUN7] a job takes a directory as its input, and its output is kept', async () => {
    const out = join(folder, 'out');
    const ran = await job('unit', '-i', `src=${join(folder, 'src')}`, '-o', `made=${out}`, '-v', 'name=Ada');
    expect(ran).toMatchObject({ code: 0 });
    const { mtimeMs } = await stat(join(folder, 'src/script'));
    const seconds = Math.floor(mtimeMs / 1000);
    expect(ran.stdout).toBe(`task test\nhello Ada\n0 750 ${seconds}\nsucceeded\n`);
    expect(ran.stderr).toContain('skipping put release (--put runs it)\n');
    expect(ran.stderr).toContain(`made is in ${out}\n`);
    expect(await readFile(join(out, 'script'), 'utf8')).toBe('text\n');
    expect(await stat(join(out, 'script'))).toMatchObject({ uid: process.getuid?.() });
    expect(await leftovers()).toEqual([]);
  });

  test('[RUN1] [RUN7] a job that fails still gives its outputs, and one that errors says why', async () => {
    const out = join(folder, 'failed');
    const failed = await job('fails', '-o', `out=${out}`, '-o', `nope=${out}`);
    expect(failed).toMatchObject({ code: 1, stdout: 'task fail\nexit status 3\nfailed\n' });
    expect(failed.stderr).toContain('the job made no artifact nope, so there is nothing to copy\n');
    expect(await readFile(join(out, 'log'), 'utf8')).toBe('broken\n');
    const errored = await job('errors');
    expect(errored.code).not.toBe(0);
    expect(errored.stdout).toContain('git.invalid');
    expect(await job('nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no job nope; there are: publish, unit, '),
    });
  });

  test('[RUN7] a job that succeeds without the output is an error of the command', async () => {
    expect(await job('counts', '-o', `nope=${join(folder, 'nope')}`)).toMatchObject({ code: 2 });
  });

  test('[RUN9] caches stay, and runs at the same time do not disturb each other', async () => {
    const before = Number((await job('counts')).stdout.split('\n')[1]);
    const waiting = start(['-c', config, '-j', 'waits']);
    await waiting.shown('waiting\n');
    expect(await job('counts')).toMatchObject({ code: 0, stdout: 'task count\n1\nsucceeded\n' });
    expect(await seaplane(['--reset'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 3 });
    expect((await job('counts')).stdout).toBe(`task count\n${before + 1}\nsucceeded\n`);
  });

  test('[RUN4] [RUN5] [RUN9] an input is fetched in its newest version, once, and pushed if asked for', async () => {
    await using daemon = await GitDaemon.start(folder, '127.0.0.1');
    const uri = ['-v', `uri=${daemon.url}`];
    const fetched = await job('publish', ...uri);
    expect(fetched).toMatchObject({ code: 0, stderr: 'seaplane: skipping put pushed (--put runs it)\n' });
    expect(fetched.stdout).toContain(`ref: ${daemon.commitOf('main')}\nsucceeded\n`);
    expect(() => daemon.commitOf('pushed')).toThrow();
    const pushed = await job('publish', ...uri, '--put');
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    expect(pushed.stdout).toContain('found existing resource cache');
    expect(daemon.commitOf('pushed')).toBe(daemon.commitOf('main'));
  });

  test('[RUN8] a signal aborts the job, its hooks run, and nothing is left', async () => {
    const run = start(['-c', config, '-j', 'waits']);
    await run.shown('waiting\n');
    run.child.kill('SIGINT');
    run.child.kill('SIGINT');
    const { code, stdout } = await run.ended;
    expect(code).toBe(3);
    expect(stdout).toMatch(/task after\nthe hook ran\naborted\n$/);
    expect(await leftovers()).toEqual([]);
  });

  test('[RUN8] the next run ends what a killed one has left', async () => {
    const run = start(['-c', config, '-j', 'waits']);
    await run.shown('waiting\n');
    run.child.kill('SIGKILL');
    expect(await run.ended).toMatchObject({ code: 'SIGKILL' });
    expect(await leftovers()).toHaveLength(1);
    expect(await job('counts')).toMatchObject({ code: 0 });
    expect(await leftovers()).toEqual([]);
  });

  test('[RUN11] --reset leaves nothing', async () => {
    expect(await seaplane(['--reset'])).toMatchObject({ code: 0 });
    expect(await readdir(dataDir)).toEqual([]);
    expect(await seaplane(['--reset'])).toMatchObject({ code: 0 });
  });
});
