import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { resetLocal } from '../boot/host-kinds.ts';
import { GitDaemon } from './git-daemon.ts';
import { freePort, RunningWeb, type WebOptions } from './running-web.ts';

/** Web with a worker on this machine and a repository, for tests whose steps run. Its git and time need no image. */
export class LocalWeb implements AsyncDisposable {
  readonly repository: GitDaemon;
  readonly #temporary: TemporaryDirectory;
  readonly #options: WebOptions;
  #web: RunningWeb;

  private constructor(web: RunningWeb, options: WebOptions, repository: GitDaemon, temporary: TemporaryDirectory) {
    this.#web = web;
    this.#options = options;
    this.repository = repository;
    this.#temporary = temporary;
  }

  get web(): RunningWeb {
    return this.#web;
  }

  get url(): string {
    return this.#web.url;
  }

  /** Starts web again, on the same port and data, after it was killed. */
  async startAgain(): Promise<void> {
    this.#web = await RunningWeb.start(this.#options);
  }

  static async start(): Promise<LocalWeb> {
    const temporary = await temporaryDirectory();
    const repository = await GitDaemon.start(temporary.path, '127.0.0.1');
    const images = { baseTypes: { git: 'builtin:git', time: 'builtin:time' } };
    const target = { kind: 'local', name: 'here', directory: join(temporary.path, 'local'), images };
    const targetsFile = join(temporary.path, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([target]));
    const options = { port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile };
    return new LocalWeb(await RunningWeb.start(options), options, repository, temporary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.web[Symbol.asyncDispose]();
    await this.repository[Symbol.asyncDispose]();
    await resetLocal(join(this.#temporary.path, 'local'));
    await this.#temporary[Symbol.asyncDispose]();
  }
}
