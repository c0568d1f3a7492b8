import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ExitRecord,
  encodeFrame,
  FRAME,
  FrameDecoder,
  hijackFrame,
  readFields,
  runFrame,
  type SupervisedProcess,
  signalFrame,
} from '@seaplane/baggageclaim/testing';

type Asked = Partial<SupervisedProcess> & { readonly path: string };

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Goes before the program and its arguments: `['chroot', DIR]`. */
  readonly wrap?: readonly string[];
  /** Goes between the program and its arguments: `['--enter', ..., '--']`. */
  readonly options?: readonly string[];
  /** The paths of socket and files for the program, if they differ from ours. */
  readonly seenAs?: string;
  readonly dir?: string;
  readonly stdout?: 'pipe' | 'ignore';
}

/** The supervisor as baggageclaim sees it: a listening socket, files, frames. Dispose of it after the test. */
export class Supervised implements AsyncDisposable {
  readonly dir: string;
  readonly child: ChildProcess;
  readonly #events = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
  readonly #records = new Map<string, ExitRecord>();
  readonly #hijacks = new Map<string, Hijacked>();
  #server: Server | undefined;
  #control: Socket | undefined;
  /** The first frame of each control connection, without its secret. */
  readonly hellos: string[][] = [];
  /** The secret of each control connection. */
  readonly secrets: string[] = [];
  /** How often growing output was reported, by id. */
  readonly grown: string[] = [];
  log = '';

  static async start(program: string, options: StartOptions = {}): Promise<Supervised> {
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'supervised-'));
    const supervised = new Supervised(dir, program, options);
    await supervised.listen();
    const ended = once(supervised.child, 'exit').then(([status]) => {
      throw new Error(`the supervisor ended with status ${status} before it connected`);
    });
    ended.catch(() => {}); // later, the end is expected
    await Promise.race([supervised.connected(1), ended]);
    return supervised;
  }

  private constructor(
    dir: string,
    program: string,
    { wrap = [], options = [], seenAs, env, stdout = 'pipe' }: StartOptions,
  ) {
    this.dir = dir;
    const at = (name: string) => join(seenAs ?? dir, name);
    const paths = ['--socket', at('socket'), '--records', at('records'), '--output', at('output')];
    const [command, ...args] = [...wrap, program, ...options, ...paths] as [string, ...string[]];
    this.child = spawn(command, args, {
      env: env ?? { PATH: process.env['PATH'] },
      stdio: ['ignore', stdout, 'inherit'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.log += chunk.toString('latin1');
      this.#events.emit('log');
    });
  }

  async listen(): Promise<void> {
    rmSync(join(this.dir, 'socket'), { force: true });
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.listen(join(this.dir, 'socket'));
    await once(this.#server, 'listening');
    chmodSync(join(this.dir, 'socket'), 0o777); // a supervisor of another user connects, too
  }

  /** Closes the socket and its connections, as when baggageclaim is killed. */
  goAway(): void {
    this.#server?.close();
    this.#control?.destroy();
  }

  connected(times: number): Promise<void> {
    return this.#until('hello', () => this.hellos.length >= times);
  }

  run(asked: Asked): string {
    const process = complete(asked);
    this.send(runFrame(process));
    return process.id;
  }

  send(frame: Uint8Array): void {
    this.#control?.write(frame);
  }

  /** Resolves when the kernel has taken everything that was sent. */
  async sent(): Promise<void> {
    await new Promise((resolve) => this.#control?.write('', resolve));
  }

  stop(id: string, graceMs: number): void {
    this.send(signalFrame(id, graceMs));
  }

  async exit(id = 'p'): Promise<ExitRecord> {
    await this.#until('exit', () => this.#records.has(id));
    return this.#records.get(id) as ExitRecord;
  }

  async untilNextExit(): Promise<void> {
    await once(this.#events, 'exit');
  }

  /** Runs a process to its end. */
  async result(asked: Asked) {
    const id = this.run(asked);
    const record = await this.exit(id);
    return { record, end: record.end, stdout: this.output(id), stderr: this.output(id, 'stderr') };
  }

  output(id = 'p', stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.bytes(id, stream).toString('utf8');
  }

  bytes(id = 'p', stream: 'stdout' | 'stderr' = 'stdout'): Buffer {
    return readFileSync(join(this.dir, 'output', `${id}.${stream}`));
  }

  async untilOutput(text: string, id = 'p', stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const file = join(this.dir, 'output', `${id}.${stream}`);
    await this.#until('grown', () => existsSync(file) && this.output(id, stream).includes(text));
  }

  async untilGrown(id: string, times: number): Promise<void> {
    await this.#until('grown', () => this.grown.filter((told) => told === id).length >= times);
  }

  async untilLog(text: string): Promise<void> {
    await this.#until('log', () => this.log.includes(text));
  }

  async hijack(asked: Asked): Promise<Hijacked> {
    const process = complete({ id: 'hijack-1', ...asked });
    this.send(hijackFrame(process));
    await this.#until('hijack', () => this.#hijacks.has(process.id));
    return this.#hijacks.get(process.id) as Hijacked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await gone;
    }
    this.goAway();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #until(event: string, done: () => boolean): Promise<void> {
    if (done()) return;
    for await (const _ of on(this.#events, event)) if (done()) return;
  }

  #accept(socket: Socket): void {
    const decoder = new FrameDecoder();
    let hijacked: Hijacked | undefined;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      for (const { type, payload } of decoder.push(chunk)) {
        if (hijacked) hijacked.receive(type, payload);
        else if (type === FRAME.hello && readFields(payload)[0] === 'hijack') {
          hijacked = new Hijacked(socket);
          this.#hijacks.set(readFields(payload)[2] as string, hijacked);
          this.#events.emit('hijack');
        } else this.#receive(socket, type, payload);
      }
    });
  }

  #receive(socket: Socket, type: number, payload: Buffer): void {
    if (type === FRAME.hello) {
      this.#control = socket;
      const [purpose = '', version = '', secret = '', ...known] = readFields(payload);
      this.hellos.push([purpose, version, ...known]);
      this.secrets.push(secret);
      this.#events.emit('hello');
    } else if (type === FRAME.exit) {
      const record = JSON.parse(payload.toString('utf8')) as ExitRecord;
      this.#records.set(record.id, record);
      this.#events.emit('exit');
    } else if (type === FRAME.grown) {
      this.grown.push(readFields(payload)[0] as string);
      this.#events.emit('grown');
    }
  }
}

/** A hijacked process, its output and its end. */
export class Hijacked {
  readonly socket: Socket;
  readonly #events = new EventEmitter().setMaxListeners(0);
  stdout = '';
  stderr = '';
  record: ExitRecord | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  receive(type: number, payload: Buffer): void {
    if (type === FRAME.stdout) this.stdout += payload.toString('utf8');
    if (type === FRAME.stderr) this.stderr += payload.toString('utf8');
    if (type === FRAME.exit) this.record = JSON.parse(payload.toString('utf8')) as ExitRecord;
    this.#events.emit('received');
  }

  /** `taken` is called when the kernel has all of it. */
  type(text: string, taken?: () => void): void {
    this.socket.write(encodeFrame(FRAME.stdin, Buffer.from(text)), taken);
  }

  async until(done: () => boolean): Promise<void> {
    if (done()) return;
    for await (const _ of on(this.#events, 'received')) if (done()) return;
  }

  async exit(): Promise<ExitRecord> {
    await this.until(() => this.record !== undefined);
    return this.record as ExitRecord;
  }
}

function complete(asked: Asked): SupervisedProcess {
  return {
    id: 'p',
    attempt: 'first',
    args: [],
    env: [],
    dir: '/',
    user: '',
    tty: null,
    own: [],
    stdin: '',
    ...asked,
  };
}
