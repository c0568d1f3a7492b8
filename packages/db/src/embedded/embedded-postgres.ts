import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASE_NAME, DATABASE_USER, ensureData } from './directory/initialize-data.ts';
import { explainSystemError, ServerDirectory } from './directory/server-directory.ts';
import { SOCKET_PORT } from './directory/socket-directory.ts';
import type { EmbeddedEvent, OnEmbeddedEvent } from './embedded-event.ts';
import { prepareInstallation } from './installation/installation.ts';
import { type Launch, launchServer } from './server/launch-server.ts';
import type { ServerProcess } from './server/server-process.ts';
import type { Settings } from './server/settings.ts';

export interface EmbeddedPostgresOptions {
  /** Holds everything of this server; see {@link ServerDirectory}. Made when it is not there. */
  readonly directory: string;
  /** PostgreSQL settings on top of ours, such as `{ work_mem: '16MB' }`. */
  readonly settings?: Settings;
  readonly onEvent?: OnEmbeddedEvent;
  /** Gives up a start that is under way; a running server is stopped with {@link EmbeddedPostgres.stop}. */
  readonly signal?: AbortSignal | undefined;
}

/** Connection options for `pg`. `host` is the directory of the socket. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export type EmbeddedStatus = 'running' | 'restarting' | 'stopping' | 'stopped';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** A server that ran this long and then died is started again at once; one that keeps dying waits longer and longer. */
const STABLE_MS = 30_000;

/**
 * A PostgreSQL server of our own, and its supervision. An instance exists from the moment the server is first ready.
 *
 *   running     the server accepts connections. Its death leads to `restarting`, `stop()` to `stopping`.
 *   restarting  no server, or one not ready yet. Waits (100 ms, doubled up to 10 s), starts it, and on failure waits
 *               again, for ever: what is in the way (a full disk, say) may go. Success leads to `running`, `stop()`
 *               gives up the wait or the start and leads to `stopping`.
 *   stopping    the server has been told to stop. Its end leads to `stopped`.
 *   stopped     no server, the directory's lock released. Final; `exited` resolves.
 *
 * The directory is locked in every state but the last, so no second server can come between. Connections do not survive
 * the server; the clients' pools make new ones when it is back. If this process dies, the server stops by itself.
 */
export class EmbeddedPostgres implements AsyncDisposable {
  readonly connection: EmbeddedConnection;
  /** The same as a URL, as psql and DATABASE_URL take it. */
  readonly url: string;
  /** `18.4` */
  readonly version: string;
  /** Resolves when the instance is `stopped`. */
  readonly exited: Promise<void>;

  readonly #launch: Launch;
  readonly #stopRequest = new AbortController();
  #server: ServerProcess;
  #status: EmbeddedStatus = 'running';

  private constructor(launch: Launch, server: ServerProcess) {
    this.#launch = { ...launch, signal: this.#stopRequest.signal };
    this.#server = server;
    this.version = launch.installation.version;
    const host = launch.directory.socketDirectory;
    this.connection = { host, port: SOCKET_PORT, user: DATABASE_USER, database: DATABASE_NAME };
    this.url = `postgresql://${DATABASE_USER}@/${DATABASE_NAME}?host=${encodeURIComponent(host)}&port=${SOCKET_PORT}`;
    this.exited = this.#supervise();
  }

  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { signal, settings = {}, onEvent = () => {} } = options;
    const directory = await ServerDirectory.open(options.directory);
    try {
      const { account, data } = directory;
      const installation = await prepareInstallation({ account, softwareDirectory: directory.software });
      const onInitialize = () => onEvent({ type: 'initializing', directory: directory.path });
      const sync = settings['fsync'] !== 'off';
      await ensureData({ data, account, installation, onInitialize, sync, signal });
      const launch: Launch = { directory, installation, settings, onEvent, signal };
      return new EmbeddedPostgres(launch, await launchServer(launch));
    } catch (error) {
      await directory[Symbol.asyncDispose]();
      throw explainSystemError(error, directory.path);
    }
  }

  get status(): EmbeddedStatus {
    return this.#status;
  }

  /** Process id of the server that runs, or ran last. */
  get pid(): number {
    return this.#server.pid;
  }

  /** Stops the server; connections that are still open are ended. May be called again, and in any state. */
  async stop(): Promise<void> {
    if (!this.#stopRequest.signal.aborted) {
      this.#status = 'stopping';
      this.#stopRequest.abort();
      await this.#server.stop();
    }
    await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Runs for as long as the instance is not `stopped`; never rejects. */
  async #supervise(): Promise<void> {
    const stopRequested = this.#stopRequest.signal;
    let retryMs = FIRST_RETRY_MS;
    let startedAt = performance.now();
    let how = await this.#server.exited;
    while (!stopRequested.aborted) {
      this.#status = 'restarting';
      if (performance.now() - startedAt > STABLE_MS) retryMs = FIRST_RETRY_MS;
      this.#tell({ type: 'died', how, retryMs });
      const restarted = await this.#restart(retryMs);
      if (!restarted) break;
      this.#server = restarted.server;
      retryMs = restarted.nextRetryMs;
      startedAt = performance.now();
      if (stopRequested.aborted)
        await this.#server.stop(); // asked for while it became ready
      else this.#status = 'running';
      how = await this.#server.exited;
    }
    await this.#launch.directory[Symbol.asyncDispose]().catch(() => {}); // the lock goes with the process at the latest
    this.#status = 'stopped';
  }

  /** Returns undefined when stopped meanwhile. */
  async #restart(firstRetryMs: number): Promise<{ server: ServerProcess; nextRetryMs: number } | undefined> {
    const { signal } = this.#stopRequest;
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
      try {
        await sleep(retryMs, undefined, { signal });
        const server = await launchServer(this.#launch);
        return { server, nextRetryMs: Math.min(retryMs * 2, LAST_RETRY_MS) };
      } catch (error) {
        if (signal.aborted) return undefined;
        this.#tell({ type: 'restart-failed', error, retryMs: Math.min(retryMs * 2, LAST_RETRY_MS) });
      }
    }
  }

  #tell(event: EmbeddedEvent): void {
    this.#launch.onEvent(event);
  }
}
