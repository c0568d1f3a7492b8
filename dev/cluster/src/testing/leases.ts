import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The users of a shared thing: an empty file for each process, named by its pid. Dead processes do not count. */
export class Leases {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(pid: number): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await writeFile(join(this.#directory, String(pid)), '');
  }

  async giveBack(pid: number): Promise<void> {
    await rm(join(this.#directory, String(pid)), { force: true });
  }

  /** Whether a live process still has one; what the dead have left is removed. */
  async inUse(): Promise<boolean> {
    const pids = (await readdir(this.#directory).catch(() => [])).map(Number);
    const dead = pids.filter((pid) => !isAlive(pid));
    for (const pid of dead) await this.giveBack(pid);
    if (dead.length < pids.length) return true;
    await rm(this.#directory, { recursive: true, force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
