import type { Socket } from 'node:net';
import { type Frame, FrameDecoder } from './frames.ts';

/**
 * A socket that carries frames. They wait until {@link receive} says who takes them. A peer that sends anything else is
 * hung up on.
 */
export class FrameConnection {
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder();
  readonly #waiting: Frame[] = [];
  #take: ((frame: Frame) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#push(chunk));
  }

  receive(take: (frame: Frame) => void): void {
    this.#take = take;
    for (let frame = this.#waiting.shift(); frame && this.#take === take; frame = this.#waiting.shift()) take(frame);
  }

  write(frame: Buffer): void {
    this.#socket.write(frame);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onClose(closed: () => void): void {
    if (this.#socket.destroyed) closed();
    else this.#socket.once('close', closed);
  }

  close(): void {
    this.#socket.destroy();
  }

  #push(chunk: Buffer): void {
    try {
      for (const frame of this.#decoder.push(chunk)) {
        if (this.#take && this.#waiting.length === 0) this.#take(frame);
        else this.#waiting.push(frame);
      }
    } catch {
      this.#socket.destroy();
    }
  }
}
