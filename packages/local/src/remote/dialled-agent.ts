import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { multiplexed, openStream } from '@seaplane/baggageclaim';
import { type DialTaker, HostError, type HostServices } from '@seaplane/orchestrator';
import type { AgentAccess } from '../agent-access.ts';
import type { AgentInfo, ControlError } from '../protocol.ts';
import { Remembered } from '../remembered.ts';
import { AGENT_PATH, type AgentSettings, type MachineKind, type RemoteAgentInfo, WAYS } from './protocol.ts';
import { KEY_TLS, readWorkerKey } from './worker-key.ts';

/** A machine whose connection was cut dials again within seconds. */
const PATIENCE_MS = 20_000;
const HANDSHAKE_MS = 10_000;

const ISOLATED_LINUX: MachineKind = { platform: 'linux', plainProcesses: false };

function wordsOf({ platform, plainProcesses }: MachineKind): string {
  return `platform: ${platform}, plainProcesses: ${plainProcesses}`;
}

type Services = Pick<HostServices, keyof AgentSettings | 'clock' | 'onTrouble'>;

/**
 * The way to the agent of a machine that dials web. All calls go through the machine's one connection, as streams of HTTP/2
 * in which web is the client.
 *
 * - _Away_: no machine is connected. Calls wait a while for one, then throw `unreachable`.
 * - _Connected_: a machine has proven that it has the worker's key. The next machine that does so replaces it.
 * - _Succeeded_: another one with the same key has the connection, and gets all calls.
 */
export class DialledAgent implements AgentAccess, DialTaker {
  readonly control = { createConnection: () => this.#open(WAYS.control), where: 'its machine' };
  readonly connect = () => this.#open(WAYS.agent);
  readonly #name: string;
  readonly #keyFile: string;
  readonly #machine: MachineKind;
  readonly #services: Services;
  #session: ClientHttp2Session | undefined;
  #successor: DialledAgent | undefined;
  #connected = Promise.withResolvers<void>();
  readonly #info = new Remembered<AgentInfo>();

  constructor(name: string, keyFile: string, machine: MachineKind, services: Services) {
    this.#name = name;
    this.#keyFile = keyFile;
    this.#machine = machine;
    this.#services = services;
  }

  /** Takes a connection, if the machine at its other end has the key. Closes it otherwise. */
  answer(connection: Duplex): void {
    connection.on('error', () => {}); // `close` follows
    this.#greet(connection).catch((error: Error) => {
      connection.destroy();
      this.#services.onTrouble(error);
    });
  }

  /** A former agent with another key has another machine, and keeps its connection. */
  takeOver(former: DialTaker): void {
    if (!(former instanceof DialledAgent) || former.#keyFile !== this.#keyFile) return;
    const session = former.#session;
    former.#session = undefined;
    former.#successor = this;
    former.#connected.resolve();
    if (session && !session.closed) this.#use(session);
  }

  async info(signal?: AbortSignal): Promise<AgentInfo> {
    if (!this.#successor) await this.#untilConnected(signal);
    if (this.#successor) return this.#successor.info(signal);
    return this.#info.get(() => this.#start());
  }

  forget(): void {
    this.#info.forget();
    this.#successor?.forget();
  }

  [Symbol.dispose](): void {
    this.#session?.destroy();
  }

  async #greet(connection: Duplex): Promise<void> {
    const key = await readWorkerKey(this.#keyFile);
    const server = createTlsServer({
      ...KEY_TLS,
      handshakeTimeout: HANDSHAKE_MS,
      pskCallback: (_socket, identity) => (identity === this.#name ? key : null),
    });
    server.on('tlsClientError', (cause) => {
      connection.destroy();
      const message = `a machine that dialled as ${this.#name} does not have its key: ${cause.message}`;
      this.#services.onTrouble(new HostError('unauthorized', message, { cause }));
    });
    server.on('secureConnection', (socket) => this.#take(socket));
    server.emit('connection', connection);
  }

  #take(socket: Duplex): void {
    if (this.#successor) this.#successor.#take(socket);
    else this.#use(multiplexed(socket, this.#services.clock));
  }

  #use(session: ClientHttp2Session): void {
    session.on('close', () => {
      if (this.#session !== session) return;
      this.#session = undefined;
      this.#info.forget();
      this.#connected = Promise.withResolvers();
    });
    this.#session?.destroy();
    this.#session = session;
    this.#info.forget();
    this.#connected.resolve();
  }

  async #untilConnected(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const over = new AbortController();
    const late = this.#services.clock.sleep(PATIENCE_MS, AbortSignal.any([signal, over.signal]));
    late.catch(() => {});
    try {
      await Promise.race([this.#connected.promise, late]);
    } finally {
      over.abort();
    }
    if (!this.#session && !this.#successor) throw this.#away();
  }

  #away(): HostError {
    const message = `the machine of the worker ${this.#name} is not connected: start "seaplane worker" there, or see what it says`;
    return new HostError('unreachable', message);
  }

  #open(way: string): Duplex {
    if (this.#successor) return this.#successor.#open(way);
    if (!this.#session || this.#session.closed) throw this.#away();
    return openStream(this.#session, { ':authority': way }, (status) => `the machine of the worker answered ${status}`);
  }

  /** Steps are placed by the worker's entry. On another kind of machine they would not run as their authors mean. */
  #expected({ machine = ISOLATED_LINUX, ...info }: RemoteAgentInfo): AgentInfo {
    const [is, expected] = [wordsOf(machine), wordsOf(this.#machine)];
    if (is === expected) return info;
    const message = `the machine of the worker ${this.#name} has ${is}, and its entry in the targets file says ${expected}`;
    throw new HostError('bad-config', message);
  }

  async #start(): Promise<AgentInfo> {
    const { installation, publicKey, authorityKey } = this.#services;
    if (!this.#session) throw this.#away();
    const stream = this.#session.request({ ':method': 'POST', ':path': AGENT_PATH });
    let status = 0;
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('error', () => {}); // so does the body
    stream.end(JSON.stringify({ installation, publicKey, authorityKey } satisfies AgentSettings));
    // Read from the start: a stream that has ended may be closed with what nobody has read.
    const body = await text(stream).catch(() => {
      throw this.#away();
    });
    if (status === 200) return this.#expected(JSON.parse(body) as RemoteAgentInfo);
    if (status === 0) throw this.#away();
    const { code, message } = JSON.parse(body) as ControlError;
    throw new HostError(code, message);
  }
}
