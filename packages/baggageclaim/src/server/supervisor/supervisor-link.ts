import { rm } from 'node:fs/promises';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Frame } from '../../protocol/frames.ts';
import type { ExitRecord } from '../../protocol/messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { FrameConnection } from './frame-connection.ts';
import { parseExitRecord } from './parse-exit-record.ts';
import {
  FRAME,
  hijackFrame,
  readFields,
  runFrame,
  SUPERVISOR_PROTOCOL,
  type SupervisedProcess,
} from './supervisor-frames.ts';
import type { SupervisorSecret } from './supervisor-secret.ts';
import { Waiters } from './waiters.ts';

/** Called with the reports of the supervisor. */
export interface SupervisorEvents {
  /** The supervisor has connected and has these processes: id to attempt. */
  onConnect(processes: ReadonlyMap<string, string>): void;
  /** Another supervisor wanted to connect, while the one that is believed has gone. It was refused. */
  onReplace(): void;
  onOutput(id: string): void;
  onEnd(record: ExitRecord): void;
}

const HIJACK_PATIENCE_MS = 10_000;
const LONG_MS = 3_600_000;

/**
 * The sidecar's end of the socket to the supervisor. It has two states.
 *
 * - _Waiting_: no supervisor has connected yet, or the last one has gone. `start` and `send` fail, `ready` waits.
 * - _Connected_: there is one control connection. A newer one replaces it, since a supervisor reconnects only when it has
 *   given up the old one. A connection that closes moves the link back to _waiting_, and every unconfirmed `start`
 *   resolves to false.
 *
 * A control connection that is not the supervisor's is closed ({@link SupervisorSecret}).
 *
 * Each hijacked process has a connection of its own, which the supervisor opens when it is asked to. Its id is random,
 * and only the supervisor has been told it.
 */
export class SupervisorLink {
  readonly #events: SupervisorEvents;
  readonly #secret: SupervisorSecret;
  readonly #connections = new Waiters();
  readonly #hijacks = new Map<string, (connection: FrameConnection) => void>();
  /** Processes that the connected supervisor was asked to start and has not confirmed. */
  readonly #asked = new Map<string, (taken: boolean) => void>();
  #server: { close(): void } | undefined;
  #control: FrameConnection | undefined;

  constructor(events: SupervisorEvents, secret: SupervisorSecret) {
    this.#events = events;
    this.#secret = secret;
  }

  async listen(runtime: Runtime, path: string): Promise<void> {
    await rm(path, { force: true }); // a killed server left it
    this.#server = await runtime.listenUnix(path, (socket) => this.#greet(new FrameConnection(socket)));
  }

  close(): void {
    this.#server?.close();
    this.#control?.close();
  }

  get connected(): boolean {
    return this.#control !== undefined;
  }

  /** Resolves when a supervisor is connected. That may take as long as pulling the step's image. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!this.#control) await this.#connections.wait('connected', LONG_MS, signal);
  }

  /** Sends a frame to the supervisor. Throws `unavailable` when none is connected. */
  send(frame: Buffer): void {
    if (!this.#control) throw new BaggageclaimError('unavailable', "the step's container is not running");
    this.#control.write(frame);
  }

  /** Asks the supervisor to start a process. False: the connection broke before the answer, so it may have started. */
  async start(process: SupervisedProcess): Promise<boolean> {
    const frame = runFrame(process);
    if (!this.#control) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#asked.set(process.id, resolve);
    this.#control.write(frame);
    return promise;
  }

  /** Has the supervisor start a hijacked process. Returns the connection of that process. */
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

  /** Reads the first frame of a connection, which tells its purpose. */
  #greet(connection: FrameConnection): void {
    connection.receiveFirst(({ type, payload }) => {
      const [purpose, version, ...rest] = type === FRAME.hello ? readFields(payload) : [];
      const take = purpose === 'hijack' ? this.#hijacks.get(rest[0] ?? '') : undefined;
      if (version !== SUPERVISOR_PROTOCOL) connection.close();
      else if (purpose === 'control') void this.#admit(connection, rest);
      else if (take) take(connection);
      else connection.close();
    });
  }

  async #admit(connection: FrameConnection, [secret = '', ...known]: readonly string[]): Promise<void> {
    try {
      if (await this.#secret.admit(secret)) return this.#attach(connection, known);
      console.error("refused a control connection that is not the supervisor's");
      if (!this.#control) this.#events.onReplace();
    } catch (error) {
      console.error(`cannot keep the supervisor's secret: ${(error as Error).message}`);
    }
    connection.close();
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
    if (type === FRAME.exit) {
      const record = parseExitRecord(payload.toString('utf8'));
      if (record) this.#events.onEnd(record);
      else console.error('ignored an exit record of the supervisor that is malformed');
    }
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
