/** The parts of Bun that are used. https://bun.sh/reference */
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
  /** Returns how many bytes it took. */
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  terminate(): void;
}

export interface BunWebSocket<T> {
  readonly data: T;
  /** Returns -1 when it took the message and has no room for more. */
  send(text: string): number;
  close(code: number, reason: string): void;
}
