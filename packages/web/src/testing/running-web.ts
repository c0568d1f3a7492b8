import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface WebOptions {
  readonly port: number;
  readonly dataDir: string;
  readonly targetsFile: string;
  /** Absent: web starts an embedded database of its own. */
  readonly databaseUrl?: string;
  /** Further flags of web. */
  readonly flags?: readonly string[];
  /** Flags of Node itself, such as `--import FILE`. */
  readonly nodeFlags?: readonly string[];
}

/** The real web in its own process, for tests that kill it. Its user is `test` with the password `test`. */
export class RunningWeb implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk;
    });
  }

  static async start(options: WebOptions): Promise<RunningWeb> {
    const { port, dataDir, targetsFile, databaseUrl, flags = [], nodeFlags = [] } = options;
    const args = [
      ...nodeFlags,
      MAIN,
      '--port',
      String(port),
      '--data-dir',
      dataDir,
      '--targets',
      targetsFile,
      ...flags,
    ];
    const { DATABASE_URL: _url, ...env } = process.env;
    const database = databaseUrl ? { DATABASE_URL: databaseUrl } : {};
    const child = spawn(process.execPath, args, {
      env: { ...env, ...database, SEAPLANE_LOCAL_USERS: 'test:test' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const web = new RunningWeb(`http://localhost:${port}`, child);
    await web.#ready();
    return web;
  }

  /** Everything web has logged. */
  get output(): string {
    return this.#output;
  }

  /** Undefined while it runs. */
  get exit(): { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null ? undefined : { code: exitCode, signal: signalCode };
  }

  /** Sends a signal and does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
  }

  async #ready(): Promise<void> {
    const exited = once(this.#child, 'exit');
    while (!this.#output.includes('"ready: ')) {
      const how = await Promise.race([once(this.#child.stderr as never, 'data'), exited.then(() => 'exited' as const)]);
      if (how === 'exited') throw new Error(`web ended at its start:\n${this.#output}`);
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
