import type { BunGlobal, BunSocket } from './bun-types.ts';
import type { ByteSocket } from './runtime.ts';

type Socket = BunSocket<BunByteSocket>;

/** Listens with Bun's own sockets. They accept only as many bytes as fit, so the rest is queued here. */
export function bunSocketServer(bun: BunGlobal, path: string, accept: (socket: ByteSocket) => void) {
  const server = bun.listen({
    unix: path,
    socket: {
      open(socket: Socket) {
        socket.data = new BunByteSocket(socket);
        accept(socket.data);
      },
      data: (socket: Socket, bytes: Uint8Array) => socket.data.receive(bytes),
      drain: (socket: Socket) => socket.data.flush(),
      close: (socket: Socket) => socket.data.handleClose(),
      error: (socket: Socket) => socket.terminate(),
    },
  });
  return { close: () => server.stop(true) };
}

class BunByteSocket implements ByteSocket {
  readonly #socket: Socket;
  #take: (bytes: Uint8Array) => void = () => {};
  #onClose: (() => void)[] = [];
  #closed = false;
  #waiting: { bytes: Uint8Array; readonly written: () => void }[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  onData(take: (bytes: Uint8Array) => void): void {
    this.#take = take;
  }

  onClose(closed: () => void): void {
    if (this.#closed) closed();
    else this.#onClose.push(closed);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((written) => {
      this.#waiting.push({ bytes, written });
      if (this.#waiting.length === 1) this.flush();
    });
  }

  pause(): void {
    if (!this.#closed) this.#socket.pause();
  }

  resume(): void {
    if (!this.#closed) this.#socket.resume();
  }

  close(): void {
    if (!this.#closed) this.#socket.terminate();
  }

  receive(bytes: Uint8Array): void {
    this.#take(bytes.slice()); // Bun reuses its buffer
  }

  flush(): void {
    for (let next = this.#waiting[0]; next && !this.#closed; next = this.#waiting[0]) {
      const accepted = Math.max(0, this.#socket.write(next.bytes));
      if (accepted < next.bytes.length) {
        next.bytes = next.bytes.subarray(accepted);
        return;
      }
      this.#waiting.shift();
      next.written();
    }
  }

  handleClose(): void {
    this.#closed = true;
    for (const { written } of this.#waiting) written();
    this.#waiting = [];
    for (const closed of this.#onClose) closed();
  }
}
