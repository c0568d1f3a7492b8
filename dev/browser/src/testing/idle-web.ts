import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgres, FAST_SETTINGS, type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { freePort, RunningWeb } from '@seaplane/web/testing';
import { type FilledStep, fillLog } from './fill-log.ts';

/** Web without a worker, for pages that need no step to run. Tests write logs of builds into its database. */
export class IdleWeb implements AsyncDisposable {
  readonly url: string;
  readonly #web: RunningWeb;
  readonly #postgres: EmbeddedPostgres;
  readonly #temporary: TemporaryDirectory;

  private constructor(web: RunningWeb, postgres: EmbeddedPostgres, temporary: TemporaryDirectory) {
    this.url = web.url;
    this.#web = web;
    this.#postgres = postgres;
    this.#temporary = temporary;
  }

  static async start(): Promise<IdleWeb> {
    const temporary = await temporaryDirectory();
    const directory = join(temporary.path, 'postgres');
    const postgres = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
    const targetsFile = join(temporary.path, 'targets.yml');
    await writeFile(targetsFile, '[]');
    const dataDir = join(temporary.path, 'data');
    const options = { port: await freePort(), dataDir, targetsFile, databaseUrl: postgres.url };
    return new IdleWeb(await RunningWeb.start(options), postgres, temporary);
  }

  /** Makes an ended build look as if it had run these tasks. */
  fillLog(buildId: number, steps: readonly FilledStep[]): Promise<void> {
    return fillLog(this.#postgres.connection, buildId, steps);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#web[Symbol.asyncDispose]();
    await this.#postgres.stop();
    await this.#temporary[Symbol.asyncDispose]();
  }
}
