import { spawn } from 'node:child_process';
import type { Account } from '../account.ts';
import { serverEnvironment, serverIdentity } from './run-tool.ts';

/** Waits for a line. If the pipe closes without one, the writer was killed, and the shell stops the server. */
const SCRIPT = 'trap "" HUP INT QUIT TERM; read -r _ || kill -INT "$0"';

/**
 * Stops the server when this process dies without doing so itself, even by SIGKILL. A small shell holds the other end
 * of a pipe; the kernel closes our end with us. Where there is no shell, the next start finds and stops the server.
 */
export class DeathGuard implements Disposable {
  readonly #release: () => void;

  constructor(serverPid: number, account: Account) {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, String(serverPid)], {
      ...serverIdentity(account),
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.on('error', () => {}); // no shell
    shell.stdin?.on('error', () => {}); // the shell was killed
    shell.unref();
    this.#release = () => shell.stdin?.end('done\n');
  }

  /** The server has stopped: the guard has nothing left to do. */
  [Symbol.dispose](): void {
    this.#release();
  }
}
