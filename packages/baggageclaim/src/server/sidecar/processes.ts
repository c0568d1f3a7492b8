import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ExitRecord } from '../../protocol/messages.ts';
import { Bell } from '../supervisor/bell.ts';
import { isProcessId } from '../supervisor/supervisor-frames.ts';

/**
 * What is known about the sandbox's processes. The files are the truth, so a server that is started again knows the
 * same; the supervisor's word comes on top.
 *
 * By id: loading (its inputs are on their way, in this server only), handed over (`ID.run` holds its attempt; the
 * supervisor has it, or was about to get it), ended (`ID.exit`). It only ever moves on.
 */
export class Processes {
  readonly #dir: string;
  readonly #attempts = new Map<string, string>();
  readonly #records = new Map<string, ExitRecord>();
  /** Those that the supervisor has said it has. */
  readonly #supervised = new Set<string>();
  readonly #changes = new Bell();
  readonly #versions = new Map<string, number>();
  /** Counts all changes, so that a version never comes again. */
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
      else processes.ended(JSON.parse(text) as ExitRecord);
    }
    return processes;
  }

  /** Undefined when there is no such process. Throws `bad-request` when there can be none. */
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

  /** It exists from now on, here. */
  begin(id: string, attempt: string): void {
    this.#attempts.set(id, attempt);
    this.#changed(id);
  }

  /** It will be handed to the supervisor: after this only the supervisor knows whether it was. */
  async handOver(id: string, attempt: string): Promise<void> {
    await this.#write(`${id}.run`, attempt);
  }

  /** The supervisor has connected, and has these. Returns what it was given and does not know. */
  known(processes: ReadonlyMap<string, string>): { id: string; attempt: string }[] {
    const lost = [...this.#supervised].filter((id) => !processes.has(id) && !this.#records.has(id));
    for (const [id, attempt] of processes) {
      this.#supervised.add(id);
      if (!this.#attempts.has(id)) this.begin(id, attempt);
    }
    for (const id of this.#attempts.keys()) this.#changed(id); // also for one that nobody has
    return lost.map((id) => ({ id, attempt: this.#attempts.get(id) ?? '' }));
  }

  supervised(id: string): void {
    this.#supervised.add(id);
  }

  /** What ended without the supervisor has its record written here. Where that fails, whoever asks is told it still. */
  async failed(record: ExitRecord): Promise<void> {
    await this.#write(`${record.id}.exit`, JSON.stringify(record)).catch((error: Error) =>
      console.error(`cannot write the exit record of ${record.id}: ${error.message}`),
    );
    this.ended(record);
  }

  ended(record: ExitRecord): void {
    this.#attempts.set(record.id, record.attempt);
    if (!this.#records.has(record.id)) this.#records.set(record.id, record);
    this.#changed(record.id);
  }

  grown(id: string): void {
    if (this.#attempts.has(id)) this.#changed(id); // it may be forgotten by now
  }

  async forget(id: string): Promise<void> {
    this.#attempts.delete(id);
    this.#records.delete(id);
    this.#supervised.delete(id);
    this.#versions.delete(id);
    this.#changes.ring(id);
    await rm(join(this.#dir, `${id}.run`), { force: true });
    await rm(join(this.#dir, `${id}.exit`), { force: true });
  }

  /** Changes when anything about the process does; 0 when there is no such process. */
  version(id: string): number {
    return this.#versions.get(id) ?? 0;
  }

  /** Resolves when it is not at this version any more, or after `ms`. */
  async changed(id: string, version: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.version(id) === version) await this.#changes.wait(id, ms, signal);
  }

  #changed(id: string): void {
    this.#versions.set(id, ++this.#count);
    this.#changes.ring(id);
  }

  async #write(name: string, text: string): Promise<void> {
    const partial = join(this.#dir, `.${name}.partial`);
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, join(this.#dir, name));
  }
}
