import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { whyNoLocalHost } from '@seaplane/local/testing';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');
const MAC = join(import.meta.dirname, 'testing/mac-worker.mjs');
const soon = () => AbortSignal.timeout(200_000);
const TIMEOUT_MS = 400_000;

/** Prints 50 lines three times, and waits for a file after each time. The next task reads what it has made. */
const PIPELINE = `
jobs:
- name: count
  plan:
  - task: count
    tags: [desk]
    config:
      platform: linux
      outputs: [{ name: out }]
      run:
        path: sh
        args:
        - -ec
        - |
          echo started >> /tmp/build/starts
          for round in 1 2 3; do
            for i in $(seq 50); do echo "line $round $i"; done
            until [ -e /tmp/build/go-$round ]; do sleep 0.05; done
          done
          echo made there > out/file
  - task: read
    config:
      platform: linux
      inputs: [{ name: out }]
      outputs: [{ name: back }]
      run: { path: sh, args: [-ec, 'cp out/file back/file; echo and here >> back/file'] }
  - task: read-again
    tags: [desk]
    config:
      platform: linux
      inputs: [{ name: back }]
      run: { path: cat, args: [back/file] }
`;

/** The get and the last task run on the server's own machine, and the task between them where its platform is. */
const MAC_PIPELINE = `
resources:
- { name: clock, type: time, source: { interval: 1h } }
jobs:
- name: build
  plan:
  - get: clock
  - task: count
    config:
      platform: darwin
      inputs: [{ name: clock }]
      outputs: [{ name: out }]
      run:
        path: sh
        args:
        - -ec
        - |
          echo started >> ../starts
          for round in 1 2; do
            for i in $(seq 50); do echo "line $round $i"; done
            until [ -e ../go-$round ]; do sleep 0.05; done
          done
          wc -l < clock/timestamp > out/count
  - task: read
    config:
      platform: linux
      inputs: [{ name: out }]
      run: { path: sh, args: [-ec, 'echo "counted $(cat out/count)"'] }
- name: with-image
  plan:
  - task: image
    config: { platform: darwin, rootfs_uri: 'docker:///busybox', run: { path: 'true' } }
`;

const LINE = /line \d \d+(?=\r\n)/g;
const linesOf = (...rounds: number[]) =>
  rounds.flatMap((round) => Array.from({ length: 50 }, (_, i) => `line ${round} ${i + 1}`));

describe.skipIf(whyNoLocalHost())('a machine that dials web', () => {
  let temporary: TemporaryDirectory;
  let workers: ChildProcess[];
  let webs: RunningWeb[];
  let port: number;
  const path = (name: string) => join(temporary.path, name);

  beforeAll(async () => {
    temporary = await temporaryDirectory();
    [workers, webs, port] = [[], [], await freePort()];
    await writeFile(path('key'), 'k'.repeat(64));
    const targets = [
      { kind: 'remote', name: 'desk', key: path('key'), tags: ['desk'] },
      { kind: 'remote', name: 'mac', key: path('key'), platform: 'darwin' },
      { kind: 'local', name: 'here', directory: path('here') },
    ];
    await writeFile(path('targets.json'), JSON.stringify(targets));
  });

  afterAll(async () => {
    for (const worker of workers) await end(worker);
    for (const web of webs) await web.kill('SIGKILL');
    for (const name of ['w', 'here', 'm']) await start(MAIN, 'worker', '--reset', '--data-dir', path(name)).ended;
    await temporary[Symbol.asyncDispose]();
  }, TIMEOUT_MS);

  function start(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<unknown> } {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
    return { child, ended: once(child, 'exit') };
  }

  /** Returns when the worker is connected. */
  async function startWorker(...program: string[]): Promise<ChildProcess> {
    const { child, ended } = start(...program, '--web', `http://localhost:${port}`, '--key', path('key'));
    workers.push(child);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const died = ended.then(() => Promise.reject(new Error(`the worker has ended: ${said}`)));
    died.catch(() => {});
    while (!said.includes('connected to')) await Promise.race([once(child.stderr as never, 'data'), died]);
    return child;
  }

  const startDesk = () => startWorker(MAIN, 'worker', '--name', 'desk', '--data-dir', path('w'));
  const startMac = () => startWorker(MAC, '--plain-processes', '--name', 'mac', '--data-dir', path('m'));

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async function startWeb(): Promise<{ readonly web: RunningWeb; readonly user: ApiUser }> {
    const web = await RunningWeb.start({ port, dataDir: path('data'), targetsFile: path('targets.json') });
    webs.push(web);
    return { web, user: await ApiUser.login(web.url) };
  }

  test('[WORK2] kill -9 of the worker and of web loses and doubles no line, and artifacts cross both ways', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const first = await startWeb();
    const worker = await startDesk();
    await first.user.setPipeline('p', PIPELINE);
    const build = await first.user.trigger('p', 'count');
    await first.user.log(build, soon(), (log) => log.includes('line 1 50'));
    const [hash = ''] = await readdir(path('w/sandboxes'));
    const directory = path(`w/sandboxes/${hash}/build`);

    await end(worker);
    await writeFile(join(directory, 'go-1'), '');
    await startDesk();
    await first.user.log(build, soon(), (log) => log.includes('line 2 50'));

    await first.web.kill('SIGKILL');
    await writeFile(join(directory, 'go-2'), '');
    const second = await startWeb();
    await second.user.log(build, soon(), (log) => log.includes('line 3 50'));
    expect(await readFile(join(directory, 'starts'), 'utf8')).toBe('started\n');
    await writeFile(join(directory, 'go-3'), '');

    const log = await second.user.log(build, soon());
    expect(log.match(LINE)).toEqual(linesOf(1, 2, 3));
    expect(log).toMatch(/made there\r\nand here\r\n$/);
    expect(await second.user.status(build)).toBe('succeeded');
  });

  test('[WORK3] a task for a Mac runs as a plain process there, between steps that run elsewhere', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { url } = webs.at(-1) ?? (await startWeb()).web;
    const user = await ApiUser.login(url);
    const worker = await startMac();
    await user.setPipeline('mac', MAC_PIPELINE);
    const build = await user.trigger('mac', 'build');
    await user.log(build, soon(), (log) => log.includes('line 1 50'));
    const [hash = '', ...others] = await readdir(path('m/sandboxes'));
    expect(others).toEqual([]);
    const directory = path(`m/sandboxes/${hash}/build`);

    await end(worker);
    await writeFile(join(directory, 'go-1'), '');
    await startMac();
    await user.log(build, soon(), (log) => log.includes('line 2 50'));
    expect(await readFile(join(directory, 'starts'), 'utf8')).toBe('started\n');
    await writeFile(join(directory, 'go-2'), '');

    const log = await user.log(build, soon());
    expect(log.match(LINE)).toEqual(linesOf(1, 2));
    expect(log).toMatch(/counted [01]\r\n$/);
    expect(await user.status(build)).toBe('succeeded');

    const refused = await user.trigger('mac', 'with-image');
    const events: unknown[] = [];
    for await (const event of user.events(refused, soon())) events.push(event);
    expect(JSON.stringify(events)).toContain("a step for the platform linux can't have an image here");
    expect(await user.status(refused)).toBe('errored');
  });
});
