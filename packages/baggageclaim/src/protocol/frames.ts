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

/** The header of a frame with a payload of `length` bytes. */
export function frameHeader(type: number, length: number): Buffer {
  if (length > LONGEST) throw new Error(`a frame of ${length} bytes is too long`);
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(length, 1);
  return header;
}

/** Cuts a stream of chunks into frames. Holds the bytes of a frame that is not complete yet. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** Returns the frames that this chunk completes. Throws when the stream does not consist of frames. */
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
    if (length > LONGEST) throw new Error(`not a stream of frames: the next one would have ${length} bytes`);
    if (this.#length < HEADER + length) return undefined;
    const whole = this.#take(HEADER + length);
    return { type: whole.readUInt8(0), payload: whole.subarray(HEADER) };
  }

  /** Joins chunks only when needed, so that a long frame is not copied once for each of its chunks. */
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
