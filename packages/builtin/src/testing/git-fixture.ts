import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ActionContext } from '../request.ts';

/** A real repository with a working copy beside it, and a context for one sandbox. */
export class GitFixture implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'git-type-'));
  readonly bare = join(this.dir, 'remote.git');
  readonly work = join(this.dir, 'work');
  readonly uri = `file://${this.bare}`;
  readonly logged: string[] = [];
  #seconds = 1_790_000_000;

  constructor() {
    mkdirSync(join(this.dir, 'tmp'));
    this.git(this.dir, 'init', '--quiet', '--bare', '--initial-branch=main', this.bare);
    this.git(this.dir, 'init', '--quiet', '--initial-branch=main', this.work);
    this.git(this.work, 'remote', 'add', 'origin', this.bare);
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  get context(): ActionContext {
    const env = { PATH: process.env['PATH'], TMPDIR: join(this.dir, 'tmp') };
    const signal = new AbortController().signal;
    const identity = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@test',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@test',
    };
    return { now: Date.now, env: { ...env, ...identity }, log: (line) => this.logged.push(line), signal };
  }

  git(cwd: string, ...args: string[]): string {
    const date = `${this.#seconds} +0100`;
    const env = {
      PATH: process.env['PATH'],
      HOME: this.dir,
      GIT_AUTHOR_NAME: 'Author',
      GIT_AUTHOR_EMAIL: 'author@test',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: 'Author',
      GIT_COMMITTER_EMAIL: 'author@test',
      GIT_COMMITTER_DATE: date,
    };
    return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  }

  /** Commits a file, a minute after the last commit, and pushes the branch. Returns the commit. */
  commit(path: string, message = `change ${path}`, { branch = 'main', cwd = this.work } = {}): string {
    this.#seconds += 60;
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), `${this.#seconds}\n`);
    this.git(cwd, 'add', '--all');
    this.git(cwd, 'commit', '--quiet', '--message', message);
    if (cwd === this.work) this.git(cwd, 'push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
    return this.git(cwd, 'rev-parse', 'HEAD');
  }

  /** Tags HEAD, a minute after the last commit or tag, and pushes the tag. */
  tag(name: string): void {
    this.#seconds += 60;
    this.git(this.work, 'tag', '--annotate', '--message', name, name);
    this.git(this.work, 'push', '--quiet', 'origin', `refs/tags/${name}`);
  }

  /** What the remote has for a name. */
  remote(name: string): string {
    return this.git(this.bare, 'rev-parse', `${name}^{commit}`);
  }
}
