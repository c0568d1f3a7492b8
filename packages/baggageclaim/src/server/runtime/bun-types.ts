/** The parts of Bun that this package uses. https://bun.sh/reference */
export interface BunGlobal {
  serve(options: object): BunServer;
  listen(options: object): { stop(now: boolean): void };
  spawn(command: readonly string[], options: object): BunChild;
}

export interface BunServer {
  readonly port: number;
  upgrade(request: Request, options: { data: object }): boolean;
  stop(now: boolean): Promise<void>;
}

export interface BunChild {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
  kill(signal: number): void;
}

export interface BunSocket<T> {
  data: T;
  /** Returns the number of bytes that were accepted. */
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  terminate(): void;
}

export interface BunWebSocket<T> {
  readonly data: T;
  /** Returns -1 when the message was accepted and there is no room for another. */
  send(text: string): number;
  close(code: number, reason: string): void;
}
