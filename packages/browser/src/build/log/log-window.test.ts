import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHUNK, chunkHeights, LINE_PX, offsetOf, windowOf } from './log-window.ts';

test('[UI-LOG6] only the chunks in view are drawn, and the space of the others is kept', () => {
  const heights = fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      heights,
      fc.integer({ min: -5_000, max: 200_000 }),
      fc.integer({ min: 1, max: 2_000 }),
      (all, top, size) => {
        const { first, end, above, below } = windowOf(all, top, top + size);
        const total = all.reduce((sum, height) => sum + height, 0);
        const drawn = all.slice(first, end).reduce((sum, height) => sum + height, 0);
        expect(above + drawn + below).toBe(total);
        let at = 0;
        for (const [i, height] of all.entries()) {
          const isSeen = at < top + size && at + height > top;
          expect(i >= first && i < end).toBe(isSeen);
          at += height;
        }
      },
    ),
  );
});

test('[UI-LOG6] a chunk that was never drawn has the height of its lines, any other the height it had', () => {
  expect(chunkHeights(CHUNK * 2 + 5, [undefined, 2_300])).toEqual([CHUNK * LINE_PX, 2_300, 5 * LINE_PX]);
  expect(chunkHeights(0, [])).toEqual([]);
  expect(offsetOf([CHUNK * LINE_PX, 2_300, 100], CHUNK * 2 + 3)).toBe(CHUNK * LINE_PX + 2_300 + 2 * LINE_PX);
  expect(offsetOf([], 1)).toBe(0);
});
