import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { resetLocal } from '../boot/host-kinds.ts';
import { GitDaemon } from './git-daemon.ts';
import { freePort, RunningWeb } from './running-web.ts';

/** Web with a worker on this machine and a repository, for tests whose steps run. Its git and time need no image. */
export class LocalWeb implements AsyncDisposable {
  readonly web: RunningWeb;
  readonly repository: GitDaemon;
  readonly #temporary: TemporaryDirectory;

  private constructor(web: RunningWeb, repository: GitDaemon, temporary: TemporaryDirectory) {
    this.web = web;
    this.repository = repository;
    this.#temporary = temporary;
  }

  static async start(): Promise<LocalWeb> {
    const temporary = await temporaryDirectory();
    const repository = await GitDaemon.start(temporary.path, '127.0.0.1');
    const images = { baseTypes: { git: 'builtin:git', time: 'builtin:time' } };
    const target = { kind: 'local', name: 'here', directory: join(temporary.path, 'local'), images };
    const targetsFile = join(temporary.path, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([target]));
    const options = { port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile };
    return new LocalWeb(await RunningWeb.start(options), repository, temporary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.web[Symbol.asyncDispose]();
    await this.repository[Symbol.asyncDispose]();
    await resetLocal(join(this.#temporary.path, 'local'));
    await this.#temporary[Symbol.asyncDispose]();
  }
}
