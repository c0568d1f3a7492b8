import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { freePort, RunningWeb } from '@seaplane/web/testing';

/** Web without a worker, for pages that need no step to run. */
export class IdleWeb implements AsyncDisposable {
  readonly url: string;
  readonly #web: RunningWeb;
  readonly #temporary: TemporaryDirectory;

  private constructor(web: RunningWeb, temporary: TemporaryDirectory) {
    this.url = web.url;
    this.#web = web;
    this.#temporary = temporary;
  }

  static async start(): Promise<IdleWeb> {
    const temporary = await temporaryDirectory();
    const targetsFile = join(temporary.path, 'targets.yml');
    await writeFile(targetsFile, '[]');
    const options = { port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile };
    return new IdleWeb(await RunningWeb.start(options), temporary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#web[Symbol.asyncDispose]();
    await this.#temporary[Symbol.asyncDispose]();
  }
}
