import { expect, test } from 'vitest';
import { encodeFrame } from '../../protocol/frames.ts';
import type { ByteSocket } from '../runtime/runtime.ts';
import { FrameConnection } from './frame-connection.ts';

function connect() {
  let take: (bytes: Uint8Array) => void = () => {};
  let closed = false;
  const socket: ByteSocket = {
    onData: (taker) => {
      take = taker;
    },
    onClose: () => {},
    write: async () => {},
    pause: () => {},
    resume: () => {},
    close: () => {
      closed = true;
    },
  };
  const connection = new FrameConnection(socket);
  return { connection, push: (bytes: Uint8Array) => take(bytes), isClosed: () => closed };
}

test('[BC1] frames after the first wait for their taker, even in the same chunk', () => {
  const { connection, push } = connect();
  const seen: string[] = [];
  connection.receiveFirst(({ type }) => seen.push(`first ${type}`));
  push(Buffer.concat([encodeFrame(1), encodeFrame(2), encodeFrame(3).subarray(0, 2)]));
  push(encodeFrame(3).subarray(2));
  expect(seen).toEqual(['first 1']);
  connection.receive(({ type }) => seen.push(`then ${type}`));
  push(encodeFrame(4));
  expect(seen).toEqual(['first 1', 'then 2', 'then 3', 'then 4']);
});

test('[BC1] a peer that does not send frames is disconnected', () => {
  const { push, isClosed } = connect();
  push(Buffer.from('GET / HTTP/1.1\r\n'));
  expect(isClosed()).toBe(true);
});
