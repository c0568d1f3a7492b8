import type { Certificate } from '../../protocol/certificate.ts';
import type { ServerIdentity } from '../../protocol/messages.ts';

/**
 * The functions of the platform that the server needs. In a pod the platform is Bun: its own functions start in a third of
 * the time and half of the memory of its node: modules. Tests also run on Node.
 */
export interface Runtime {
  serve(options: ServeOptions): Promise<Listener>;
  listenUnix(path: string, accept: (socket: ByteSocket) => void): Promise<{ close(): void }>;
  /** Runs a program and streams its stdout. The stream fails if the program does. Cancelling it ends the program. */
  readFrom(command: readonly string[]): ReadableStream<Uint8Array>;
  /** Runs a program with a stream as its stdin, and waits for its end. The program need not read all of it. */
  writeInto(command: readonly string[], body: ReadableStream<Uint8Array>): Promise<Ended>;
  /** Sends a GET by HTTPS. Rejects, and has sent nothing, if another server than the expected one answers. */
  get(url: string, options: GetOptions): Promise<Response>;
}

export interface GetOptions {
  readonly server: ServerIdentity;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  /** The answer fails when no byte has come for this long. */
  readonly silenceMs: number;
}

/** The end of a program, and its output. */
export interface Ended {
  /** Null when a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServeOptions {
  /** `HOST:PORT`. */
  readonly at: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** If absent, plain HTTP is served. */
  readonly certificate?: Certificate;
  /** Decides on a request for a WebSocket: returns its handler, or the answer that refuses it. */
  readonly upgrade?: (request: Request) => Promise<SocketHandler | Response>;
}

export interface Listener {
  /** `host:port`, with the chosen port if port 0 was asked for. */
  readonly address: string;
  /** Stops listening, and closes all connections at once. */
  stop(): Promise<void>;
}

export interface SocketHandler {
  onOpen(peer: Peer): void;
  onMessage(text: string): void;
  onClose(): void;
}

/** The other side of a WebSocket. */
export interface Peer {
  /** Resolves when there is room for more. */
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
}

/** A connection. Bytes that arrive before `onData` was called are lost, so call it at once. */
export interface ByteSocket {
  onData(take: (bytes: Uint8Array) => void): void;
  onClose(closed: () => void): void;
  /** Resolves when the other side has room for more, or has gone. Never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface Place {
  readonly hostname: string;
  readonly port: number;
}

export function placeOf(at: string): Place {
  const [, hostname, port] = /^(.+):(\d+)$/.exec(at) ?? [];
  if (!hostname || !port) throw new Error(`not an address to listen at: ${at} (HOST:PORT)`);
  return { hostname, port: Number(port) };
}

/** The error of a program that failed, with its own message. */
export function failure(command: readonly string[], { code, stderr }: Omit<Ended, 'stdout'>): Error {
  return new Error(`${command[0]} failed: ${stderr.trim().slice(-1000) || `exit status ${code}`}`);
}
