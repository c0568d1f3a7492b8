import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './running-web.ts';

/** A repository with one commit on `main`, served to everybody who can reach the address. They may push. */
export class GitDaemon implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #bare: string;
  readonly #work: string;

  private constructor(url: string, { bare, work }: { bare: string; work: string }, child: ChildProcess) {
    this.url = url;
    this.#bare = bare;
    this.#work = work;
    this.#child = child;
  }

  static async start(directory: string, address: string): Promise<GitDaemon> {
    const [bare, work] = [join(directory, 'repository.git'), join(directory, 'work')];
    git(directory, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
    git(directory, 'init', '--quiet', '--initial-branch=main', work);
    writeFileSync(join(work, 'README.md'), 'An example.\n');
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '--message', 'begin');
    git(work, 'push', '--quiet', bare, 'HEAD:main');
    const port = await freePort();
    const flags = ['--export-all', '--enable=receive-pack', `--base-path=${directory}`, `--port=${port}`, directory];
    const child = spawn('git', ['daemon', `--listen=${address}`, ...flags], { stdio: 'ignore' });
    await untilListening(address, port);
    return new GitDaemon(`git://${address}:${port}/repository.git`, { bare, work }, child);
  }

  /** Adds a commit to `main`. */
  commit(message: string): void {
    git(this.#work, 'commit', '--quiet', '--allow-empty', '--message', message);
    git(this.#work, 'push', '--quiet', this.#bare, 'HEAD:main');
  }

  commitOf(branch: string): string {
    return git(this.#bare, 'rev-parse', branch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}

function git(cwd: string, ...args: string[]): string {
  const names = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Test'],
    [`GIT_${who}_EMAIL`, 'test@test'],
  ]);
  const env = { PATH: process.env['PATH'], HOME: cwd, ...Object.fromEntries(names) };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

async function untilListening(host: string, port: number): Promise<void> {
  for (;;) {
    const socket = connect({ host, port });
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (connected) return;
    await sleep(20);
  }
}
