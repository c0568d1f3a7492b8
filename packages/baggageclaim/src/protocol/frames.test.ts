import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameDecoder, frameHeader } from './frames.ts';

test('[BC1] frames come out as they went in, wherever the stream is cut', () => {
  const frames = fc.array(fc.record({ type: fc.integer({ min: 0, max: 255 }), payload: fc.uint8Array() }));
  fc.assert(
    fc.property(frames, fc.array(fc.nat({ max: 40 })), (sent, cuts) => {
      const decoder = new FrameDecoder();
      let rest = Buffer.concat(sent.map(({ type, payload }) => encodeFrame(type, payload)));
      const received = [];
      for (const cut of [...cuts, rest.length]) {
        received.push(...decoder.push(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      received.push(...decoder.push(rest));
      expect(received.map(({ type, payload }) => ({ type, payload: [...payload] }))).toEqual(
        sent.map(({ type, payload }) => ({ type, payload: [...payload] })),
      );
    }),
  );
});

test('[BC1] a stream without frames is refused, not collected', () => {
  expect(() => new FrameDecoder().push(Buffer.from('HTTP/1.1 400 Bad Request'))).toThrow('not a stream of frames');
  expect(() => frameHeader(1, 65 * 1024 * 1024)).toThrow('is too long');
});
