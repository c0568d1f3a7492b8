import { rm } from 'node:fs/promises';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Frame } from '../../protocol/frames.ts';
import { type ExitRecord, PROTOCOL_VERSION } from '../../protocol/messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { FrameConnection } from './frame-connection.ts';
import { FRAME, hijackFrame, readFields, runFrame, type SupervisedProcess } from './supervisor-frames.ts';
import { Waiters } from './waiters.ts';

/** What the supervisor says about its processes. */
export interface SupervisorEvents {
  /** It has connected, and knows these: id to attempt. */
  onConnect(processes: ReadonlyMap<string, string>): void;
  onOutput(id: string): void;
  onEnd(record: ExitRecord): void;
}

const HIJACK_PATIENCE_MS = 10_000;
const LONG_MS = 3_600_000;

/**
 * Our end of the supervisor's socket.
 *
 * Waiting: no supervisor has connected, or the last one has gone. Connected: one control connection; a newer one takes
 * its place, since a supervisor dials again only when it has given the old one up.
 */
export class SupervisorLink {
  readonly #events: SupervisorEvents;
  readonly #connections = new Waiters();
  readonly #hijacks = new Map<string, (connection: FrameConnection) => void>();
  /** Processes that the connected supervisor was asked to run and has not answered for. */
  readonly #asked = new Map<string, (taken: boolean) => void>();
  #server: { close(): void } | undefined;
  #control: FrameConnection | undefined;

  constructor(events: SupervisorEvents) {
    this.#events = events;
  }

  async listen(runtime: Runtime, path: string): Promise<void> {
    await rm(path, { force: true }); // of a server that was killed
    this.#server = await runtime.listenUnix(path, (socket) => this.#greet(new FrameConnection(socket)));
  }

  close(): void {
    this.#server?.close();
    this.#control?.close();
  }

  get connected(): boolean {
    return this.#control !== undefined;
  }

  /** Resolves when a supervisor is connected, which may take as long as its image takes to pull. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!this.#control) await this.#connections.wait('connected', LONG_MS, signal);
  }

  /** Sends to the supervisor that is connected; throws `unavailable` when none is. */
  send(frame: Buffer): void {
    if (!this.#control) throw new BaggageclaimError('unavailable', "the step's container does not run");
    this.#control.write(frame);
  }

  /** Asks the supervisor to run a process. False when it has gone before it said that it has it: it may have. */
  async start(process: SupervisedProcess): Promise<boolean> {
    const frame = runFrame(process);
    if (!this.#control) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#asked.set(process.id, resolve);
    this.#control.write(frame);
    return promise;
  }

  /** Has a process started, and returns its own connection. */
  async hijack(process: SupervisedProcess): Promise<FrameConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<FrameConnection>();
    const tooLate = () => reject(new BaggageclaimError('unavailable', "the step's container did not answer in time"));
    const patience = setTimeout(tooLate, HIJACK_PATIENCE_MS);
    this.#hijacks.set(process.id, resolve);
    try {
      this.send(hijackFrame(process));
      return await promise;
    } finally {
      clearTimeout(patience);
      this.#hijacks.delete(process.id);
    }
  }

  /** The first frame says what a connection is for. */
  #greet(connection: FrameConnection): void {
    connection.receiveFirst(({ type, payload }) => {
      const [purpose, version, ...rest] = type === FRAME.hello ? readFields(payload) : [];
      const take = purpose === 'hijack' ? this.#hijacks.get(rest[0] ?? '') : undefined;
      if (version !== String(PROTOCOL_VERSION)) connection.close();
      else if (purpose === 'control') this.#attach(connection, rest);
      else if (take) take(connection);
      else connection.close();
    });
  }

  #attach(connection: FrameConnection, known: readonly string[]): void {
    this.#control?.close();
    this.#control = connection;
    this.#giveUp();
    connection.onClose(() => {
      if (this.#control !== connection) return;
      this.#control = undefined;
      this.#giveUp();
    });
    this.#events.onConnect(pairs(known));
    this.#connections.wake('connected');
    connection.receive((frame) => this.#take(frame));
  }

  #take({ type, payload }: Frame): void {
    if (type === FRAME.grown) {
      const [id = ''] = readFields(payload);
      this.#answer(id, true);
      this.#events.onOutput(id);
    }
    if (type === FRAME.exit) this.#events.onEnd(JSON.parse(payload.toString('utf8')) as ExitRecord);
  }

  #answer(id: string, taken: boolean): void {
    this.#asked.get(id)?.(taken);
    this.#asked.delete(id);
  }

  #giveUp(): void {
    for (const id of this.#asked.keys()) this.#answer(id, false);
  }
}

function pairs(items: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < items.length; i += 2) map.set(items[i] as string, items[i + 1] as string);
  return map;
}
