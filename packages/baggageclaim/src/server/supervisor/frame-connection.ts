import { type Frame, FrameDecoder } from '../../protocol/frames.ts';
import type { ByteSocket } from '../runtime/runtime.ts';

/**
 * A socket that carries frames. Frames wait until {@link receive} names their taker. A peer that sends anything else is
 * disconnected.
 */
export class FrameConnection {
  readonly #socket: ByteSocket;
  readonly #decoder = new FrameDecoder();
  readonly #waiting: Frame[] = [];
  #take: ((frame: Frame) => void) | undefined;

  constructor(socket: ByteSocket) {
    this.#socket = socket;
    socket.onData((bytes) => this.#push(bytes));
  }

  receive(take: (frame: Frame) => void): void {
    this.#take = take;
    this.#deliver();
  }

  /** Takes one frame. The frames after it wait again. */
  receiveFirst(take: (frame: Frame) => void): void {
    this.receive((frame) => {
      this.#take = undefined;
      take(frame);
    });
  }

  /** Resolves when the peer has room for more, or has gone. Never rejects. */
  write(frame: Uint8Array): Promise<void> {
    return this.#socket.write(frame);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onClose(closed: () => void): void {
    this.#socket.onClose(closed);
  }

  close(): void {
    this.#socket.close();
  }

  #push(bytes: Uint8Array): void {
    try {
      this.#waiting.push(...this.#decoder.push(bytes));
    } catch {
      this.#socket.close();
    }
    this.#deliver();
  }

  #deliver(): void {
    while (this.#take && this.#waiting.length > 0) this.#take(this.#waiting.shift() as Frame);
  }
}
