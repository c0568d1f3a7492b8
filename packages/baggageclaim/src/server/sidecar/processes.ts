import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ExitRecord } from '../../protocol/messages.ts';
import { parseExitRecord } from '../supervisor/parse-exit-record.ts';
import { isProcessId } from '../supervisor/supervisor-frames.ts';
import { Waiters } from '../supervisor/waiters.ts';

/**
 * The processes of a sandbox: which there are, and how each one ended.
 *
 * The sidecar may be killed and started again at any moment while the supervisor and its processes go on. So the truth
 * is kept in two places that survive it: files in the sidecar's own directory, and the supervisor, which lists its
 * processes whenever it connects and leaves sealed records. This class is a view of both. A process, by its id, is in one of these states:
 *
 * - _Unknown_: there is no attempt. The id is free.
 * - _Loading_: `begin` was called. Its inputs are being loaded, by this server, and nothing is written down: a server that is
 *   killed now forgets it, and a client asks again. Moves on by `recordHandOver`, or to _ended_ by `recordFailure`.
 * - _Handed over_: `ID.run` holds the attempt. The supervisor has the process, or was about to get it; only the
 *   supervisor knows which, so nobody may start it again before the supervisor has connected and been asked.
 * - _Supervised_: the supervisor has confirmed it, by `markSupervised` or in the list that `reconcile` takes. One that a later
 *   list lacks is lost: its supervisor has gone. The caller then ends it by `recordFailure`.
 * - _Ended_: there is an exit record, from the supervisor (`recordEnd`), or written here as `ID.exit` for a process that
 *   the supervisor never had or has lost (`recordFailure`). The first record holds; later ones are ignored.
 *
 * A process moves down this list only, and may skip states. `forget` makes an ended one unknown.
 *
 * Each change gives the process a new version and wakes those who wait for one. Versions never repeat, so a reader that
 * looks at the version first and at the rest afterwards misses nothing.
 */
export class Processes {
  readonly #dir: string;
  readonly #attempts = new Map<string, string>();
  readonly #records = new Map<string, ExitRecord>();
  /** Ids that the supervisor has confirmed. */
  readonly #supervised = new Set<string>();
  readonly #changes = new Waiters();
  readonly #versions = new Map<string, number>();
  /** Counts the changes of all processes. */
  #count = 0;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(dir: string): Promise<Processes> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const processes = new Processes(dir);
    for (const name of await readdir(dir)) {
      const [, id, kind] = /^([^.].*)\.(run|exit)$/.exec(name) ?? [];
      if (!id) continue;
      const text = await readFile(join(dir, name), 'utf8');
      if (kind === 'run') processes.#attempts.set(id, text);
      else {
        const record = parseExitRecord(text);
        if (record) processes.recordEnd(record);
        else console.error(`${join(dir, name)} is not an exit record: ignored`);
      }
    }
    return processes;
  }

  /** The attempt of a process; undefined when it is unknown. Throws `bad-request` for a text that cannot be an id. */
  attempt(id: string): string | undefined {
    if (!isProcessId(id)) throw new BaggageclaimError('bad-request', `not a process id: ${JSON.stringify(id)}`);
    return this.#attempts.get(id);
  }

  record(id: string): ExitRecord | undefined {
    return this.#records.get(id);
  }

  isSupervised(id: string): boolean {
    return this.#supervised.has(id);
  }

  /** Unknown -> loading. */
  begin(id: string, attempt: string): void {
    this.#attempts.set(id, attempt);
    this.#announceChange(id);
  }

  /** Loading -> handed over. Call it before the process is sent to the supervisor. */
  async recordHandOver(id: string, attempt: string): Promise<void> {
    await this.#write(`${id}.run`, attempt);
  }

  /** Takes the list of a supervisor that has connected: id to attempt. Returns the processes that it has lost. */
  reconcile(processes: ReadonlyMap<string, string>): { id: string; attempt: string }[] {
    const lost = [...this.#supervised].filter((id) => !processes.has(id) && !this.#records.has(id));
    for (const [id, attempt] of processes) {
      this.#supervised.add(id);
      if (!this.#attempts.has(id)) this.begin(id, attempt);
    }
    for (const id of this.#attempts.keys()) this.#announceChange(id); // also of those that nobody has
    return lost.map((id) => ({ id, attempt: this.#attempts.get(id) ?? '' }));
  }

  /** Handed over -> supervised. */
  markSupervised(id: string): void {
    this.#supervised.add(id);
  }

  /** Ends a process without the supervisor. Its record counts even if it cannot be written. */
  async recordFailure(record: ExitRecord): Promise<void> {
    await this.#write(`${record.id}.exit`, JSON.stringify(record)).catch((error: Error) =>
      console.error(`cannot write the exit record of ${record.id}: ${error.message}`),
    );
    this.recordEnd(record);
  }

  /** Takes the supervisor's record. */
  recordEnd(record: ExitRecord): void {
    this.#attempts.set(record.id, record.attempt);
    if (!this.#records.has(record.id)) this.#records.set(record.id, record);
    this.#announceChange(record.id);
  }

  /** Wakes readers: the process has written output. */
  announceOutput(id: string): void {
    if (this.#attempts.has(id)) this.#announceChange(id); // it may have been forgotten
  }

  /** Ended -> unknown. */
  async forget(id: string): Promise<void> {
    this.#attempts.delete(id);
    this.#records.delete(id);
    this.#supervised.delete(id);
    this.#versions.delete(id);
    this.#changes.wake(id);
    await rm(join(this.#dir, `${id}.run`), { force: true });
    await rm(join(this.#dir, `${id}.exit`), { force: true });
  }

  /** Differs after every change of the process; 0 when it is unknown. */
  version(id: string): number {
    return this.#versions.get(id) ?? 0;
  }

  /** Resolves when the process has another version than this, or after `ms`. */
  async waitForChange(id: string, version: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.version(id) === version) await this.#changes.wait(id, ms, signal);
  }

  #announceChange(id: string): void {
    this.#versions.set(id, ++this.#count);
    this.#changes.wake(id);
  }

  async #write(name: string, text: string): Promise<void> {
    const partial = join(this.#dir, `.${name}.partial`);
    // Nothing waits for the disk: a machine that loses its power loses the sandbox's processes, too.
    await writeFile(partial, text, { mode: 0o600 });
    await rename(partial, join(this.#dir, name));
  }
}
