import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { whyNoLocalHost } from '@seaplane/local/testing';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');
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
      { kind: 'local', name: 'here', directory: path('here') },
    ];
    await writeFile(path('targets.json'), JSON.stringify(targets));
  });

  afterAll(async () => {
    for (const worker of workers) await end(worker);
    for (const web of webs) await web.kill('SIGKILL');
    for (const name of ['w', 'here']) await seaplane('worker', '--reset', '--data-dir', path(name)).ended;
    await temporary[Symbol.asyncDispose]();
  }, TIMEOUT_MS);

  function seaplane(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<unknown> } {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'inherit', 'pipe'] });
    return { child, ended: once(child, 'exit') };
  }

  /** Returns when the worker is connected. */
  async function startWorker(): Promise<ChildProcess> {
    const flags = [
      '--web',
      `http://localhost:${port}`,
      '--key',
      path('key'),
      '--name',
      'desk',
      '--data-dir',
      path('w'),
    ];
    const { child, ended } = seaplane('worker', ...flags);
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
    const worker = await startWorker();
    await first.user.setPipeline('p', PIPELINE);
    const build = await first.user.trigger('p', 'count');
    await first.user.log(build, soon(), (log) => log.includes('line 1 50'));
    const [hash = ''] = await readdir(path('w/sandboxes'));
    const directory = path(`w/sandboxes/${hash}/build`);

    await end(worker);
    await writeFile(join(directory, 'go-1'), '');
    await startWorker();
    await first.user.log(build, soon(), (log) => log.includes('line 2 50'));

    await first.web.kill('SIGKILL');
    await writeFile(join(directory, 'go-2'), '');
    const second = await startWeb();
    await second.user.log(build, soon(), (log) => log.includes('line 3 50'));
    expect(await readFile(join(directory, 'starts'), 'utf8')).toBe('started\n');
    await writeFile(join(directory, 'go-3'), '');

    const log = await second.user.log(build, soon());
    const lines = [1, 2, 3].flatMap((round) => Array.from({ length: 50 }, (_, i) => `line ${round} ${i + 1}`));
    expect(log.match(/line \d \d+(?=\r\n)/g)).toEqual(lines);
    expect(log).toMatch(/made there\r\nand here\r\n$/);
    expect(await second.user.status(build)).toBe('succeeded');
  });
});
