import type { Certificate } from '../http/certificate.ts';

/**
 * What the server needs of what it runs on. In a pod that is Bun, whose own functions start in a third of the time and
 * half of the memory of its node: modules; in tests it is Node as well.
 */
export interface Runtime {
  serve(options: ServeOptions): Promise<Listener>;
  listenUnix(path: string, accept: (socket: ByteSocket) => void): Promise<{ close(): void }>;
  /** What a program writes, as it is read. It fails, rather than ends, if the program does; one who leaves ends it. */
  readFrom(command: readonly string[]): ReadableStream<Uint8Array>;
  /** Gives a program a stream to read, and waits for its end. A program that has read enough may leave the rest. */
  writeInto(command: readonly string[], body: ReadableStream<Uint8Array>): Promise<Ended>;
  /** GETs by HTTPS, whatever the certificate. */
  get(url: string, options: GetOptions): Promise<Response>;
}

export interface GetOptions {
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  /** Without a byte for this long, the answer fails. */
  readonly silenceMs: number;
}

/** How a program ended, and what it wrote. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly said: string;
  readonly complaint: string;
}

export interface ServeOptions {
  /** `HOST:PORT`. */
  readonly at: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Without one it is plain HTTP. */
  readonly certificate?: Certificate;
  /** Who talks on the WebSocket that a request opens, or what it is refused with. */
  readonly upgrade?: (request: Request) => Promise<SocketHandler | Response>;
}

export interface Listener {
  /** `host:port`, with the port that was chosen if 0 was asked for. */
  readonly address: string;
  /** Cuts what is under way off. */
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

/** A connection. What it brings before anyone takes it is lost: take it at once. */
export interface ByteSocket {
  onData(take: (bytes: Uint8Array) => void): void;
  onClose(closed: () => void): void;
  write(bytes: Uint8Array): void;
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

/** A program that failed, in its own words. */
export function failure(command: readonly string[], { code, complaint }: Omit<Ended, 'said'>): Error {
  return new Error(`${command[0]} failed: ${complaint.trim().slice(-1000) || `exit status ${code}`}`);
}
