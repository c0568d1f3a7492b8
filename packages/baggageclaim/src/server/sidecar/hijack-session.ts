import { encodeFrame, type Frame } from '../../protocol/frames.ts';
import type { HijackInput, HijackOutput, HijackRequest, HijackTaken } from '../../protocol/hijack.ts';
import type { ExitRecord } from '../../protocol/messages.ts';
import type { Peer, SocketHandler } from '../runtime/runtime.ts';
import type { FrameConnection } from '../supervisor/frame-connection.ts';
import { parseExitRecord } from '../supervisor/parse-exit-record.ts';
import { FRAME, resizeFrame } from '../supervisor/supervisor-frames.ts';
import type { SupervisorLink } from '../supervisor/supervisor-link.ts';
import { parseHijackInput, parseHijackRequest } from './request-schemas.ts';

const CLOSE_NORMAL = 1000;
const CLOSE_UNSUPPORTED = 1003;

/**
 * One hijacked process on one WebSocket. The messages are Concourse's own (docs/concourse/fly-api.md, section 6).
 *
 * - _Opened_: the session waits for the request, which moves it on.
 * - _Starting_: the supervisor starts the process. Input is kept for it.
 * - _Running_: bytes go both ways, each only as fast as the other side takes them.
 * - _Over_: the process has ended, or could not be started, or its user has left, which hangs the process up.
 */
export class HijackSession implements SocketHandler {
  readonly #link: SupervisorLink;
  #peer: Peer | undefined;
  #requested = false;
  #connection: FrameConnection | undefined;
  #typed: HijackInput[] = [];
  #sending: Promise<void> = Promise.resolve();
  #over = false;

  constructor(link: SupervisorLink) {
    this.#link = link;
  }

  onOpen(peer: Peer): void {
    this.#peer = peer;
  }

  onMessage(text: string): void {
    if (this.#requested) {
      this.#receive(text);
      return;
    }
    const request = parseHijackRequest(text);
    if (!request) {
      this.#peer?.close(CLOSE_UNSUPPORTED, 'malformed process spec');
      return;
    }
    this.#requested = true;
    void this.#start(request);
  }

  onClose(): void {
    this.#over = true;
    this.#connection?.close();
  }

  async #start(request: HijackRequest): Promise<void> {
    try {
      const connection = await this.#link.hijack({
        id: `hijack-${crypto.randomUUID()}`,
        attempt: '',
        path: request.path,
        args: request.args,
        env: request.env,
        dir: request.dir || '/',
        user: request.user,
        tty: request.tty,
        own: [],
        stdin: '',
      });
      if (this.#over) return connection.close();
      this.#connection = connection;
      for (const typed of this.#typed) this.#type(typed);
      this.#typed = [];
      connection.receive((frame) => this.#output(connection, frame));
      connection.onClose(() => this.#end({ error: "the step's container is gone" }));
    } catch (error) {
      this.#end({ error: (error as Error).message });
    }
  }

  #receive(text: string): void {
    const input = parseHijackInput(text);
    if (!input) this.#peer?.close(CLOSE_UNSUPPORTED, 'malformed input');
    else if (this.#connection) this.#type(input);
    else this.#typed.push(input);
  }

  #type(input: HijackInput): void {
    if ('stdin' in input) void this.#typeStdin(input.stdin);
    else if ('closed' in input) void this.#connection?.write(encodeFrame(FRAME.closeStdin));
    else void this.#connection?.write(resizeFrame(input.tty.window_size));
  }

  /** Asks for more when the supervisor has taken this. */
  async #typeStdin(stdin: string): Promise<void> {
    await this.#connection?.write(encodeFrame(FRAME.stdin, Buffer.from(stdin, 'base64')));
    if (!this.#over) await this.#send({ taken: stdin.length });
  }

  #output(connection: FrameConnection, { type, payload }: Frame): void {
    if (type === FRAME.exit) {
      const record = parseExitRecord(payload.toString('utf8'));
      this.#end(...(record ? endMessages(record) : [{ error: 'the exit record of the process is malformed' }]));
      return;
    }
    const bytes = payload.toString('base64');
    connection.pause();
    void this.#send(type === FRAME.stderr ? { stderr: bytes } : { stdout: bytes }).then(() => connection.resume());
  }

  #send(message: HijackOutput | HijackTaken): Promise<void> {
    this.#sending = this.#sending.then(() => this.#peer?.send(JSON.stringify(message)));
    return this.#sending;
  }

  #end(...messages: HijackOutput[]): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection?.close();
    for (const message of messages) void this.#send(message);
    void this.#sending.then(() => this.#peer?.close(CLOSE_NORMAL, ''));
  }
}

function endMessages({ end }: ExitRecord): HijackOutput[] {
  if (end.kind === 'exited') return [{ exit_status: end.status }];
  if (end.kind === 'signaled') return [{ exit_status: 128 + end.signal }];
  const isMissing = end.kind === 'not-started' && end.cause === 'executable';
  return [...(isMissing ? [{ executable_not_found: true } as const] : []), { error: end.message }];
}
