/** A type byte, a 4-byte big-endian length, that many bytes: on the supervisor's socket and in a stream of output. */
export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

const HEADER = 5;
const LONGEST = 64 * 1024 * 1024;

export function encodeFrame(type: number, payload: Uint8Array | string = ''): Buffer {
  const body = Buffer.from(payload as Uint8Array);
  return Buffer.concat([frameHeader(type, body.length), body]);
}

/** What goes before `length` bytes. */
export function frameHeader(type: number, length: number): Buffer {
  if (length > LONGEST) throw new Error(`a frame of ${length} bytes is longer than any may be`);
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(length, 1);
  return header;
}

/** Cuts a stream into frames, wherever its chunks begin and end. Holds what is not complete yet. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** The frames that this chunk completes. Throws when the stream is not one of frames. */
  push(chunk: Uint8Array): Frame[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#length < HEADER) return undefined;
    const length = this.#peek(HEADER).readUInt32BE(1);
    if (length > LONGEST) throw new Error(`not a stream of frames: one would have ${length} bytes`);
    if (this.#length < HEADER + length) return undefined;
    const whole = this.#take(HEADER + length);
    return { type: whole.readUInt8(0), payload: whole.subarray(HEADER) };
  }

  /** Joins chunks only as far as needed, so that a long frame is not copied once for each chunk of it. */
  #peek(count: number): Buffer {
    const first = this.#chunks[0] as Uint8Array;
    if (first.length < count) this.#chunks = [Buffer.concat(this.#chunks)];
    return asBuffer(this.#chunks[0] as Uint8Array);
  }

  #take(count: number): Buffer {
    const whole = this.#peek(count);
    if (whole.length === count) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(count);
    this.#length -= count;
    return whole.subarray(0, count);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
