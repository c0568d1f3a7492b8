import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Axis,
  limitZoom,
  type Position,
  scrollAfterZoom,
  shiftBetween,
  zoomAtStart,
  zoomByWheel,
  zoomStep,
  zoomToFit,
} from './zoom.ts';

const length = fc.integer({ min: 40, max: 50_000 });
const zoom = fc.double({ min: 0.01, max: 10, noNaN: true });

test('[UI-ZOOM1] a graph that is fitted touches the window in one direction and exceeds it in none', () => {
  fc.assert(
    fc.property(length, length, length, length, (width, height, boxWidth, boxHeight) => {
      const fitted = zoomToFit({ width, height }, { width: boxWidth, height: boxHeight });
      expect(width * fitted).toBeLessThanOrEqual(boxWidth);
      expect(height * fitted).toBeLessThanOrEqual(boxHeight);
      const more = fitted + 0.000_2;
      expect(fitted === 2 || width * more > boxWidth || height * more > boxHeight).toBe(true);
    }),
  );
});

test('[UI-ZOOM1] the zoom is from 0.5 to 10, and less if a graph needs less to fit', () => {
  expect(limitZoom(0.1, 1.5)).toBe(0.5);
  expect(limitZoom(0.1, 0.2)).toBe(0.2);
  expect(limitZoom(0.3, 0.2)).toBe(0.3);
  expect(limitZoom(11, 0.2)).toBe(10);
});

test('[UI-ZOOM1] steps lead up and down, and stop at 100 %', () => {
  expect(zoomStep(0.9, 1)).toBe(1);
  expect(zoomStep(1.1, -1)).toBe(1);
  expect(zoomStep(1, 1)).toBe(1.25);
  expect(zoomStep(zoomStep(1, 1), -1)).toBe(1);
  fc.assert(
    fc.property(zoom, (from) => {
      expect(zoomStep(from, 1)).toBeGreaterThan(from);
      expect(zoomStep(from, -1)).toBeLessThan(from);
    }),
  );
});

test('[UI-ZOOM1] a pinch changes little at once, and no turn of a wheel much', () => {
  expect(zoomByWheel(1, { deltaY: -2, deltaMode: 0 })).toBeCloseTo(1.014, 3);
  expect(zoomByWheel(1, { deltaY: -1_000, deltaMode: 0 })).toBeCloseTo(1.32, 2);
  expect(zoomByWheel(1, { deltaY: 3, deltaMode: 1 })).toBeLessThan(1);
});

test('[UI-ZOOM3] a graph starts with all of its width, if its names can be read then', () => {
  expect(zoomAtStart(300, 343)).toBe(1);
  expect(zoomAtStart(400, 343)).toBe(0.857_5);
  expect(zoomAtStart(490, 343)).toBe(0.7);
  expect(zoomAtStart(500, 343)).toBe(1);
});

const axis = fc.record({ graph: length, box: fc.integer({ min: 100, max: 3_000 }), isCentred: fc.boolean() });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Where a point of the graph is seen, in pixels from the start of the box. */
function seenAt({ graph, box, isCentred }: Axis, { zoom, scroll }: Position, point: number): number {
  return point * zoom - scroll + (isCentred ? Math.max(0, (box - graph * zoom) / 2) : 0);
}

test('[UI-ZOOM2] the point under the pointer stays there, unless the graph ends before', () => {
  fc.assert(
    fc.property(axis, zoom, zoom, share, share, (along, from, to, a, b) => {
      const before = { zoom: from, scroll: a * Math.max(0, along.graph * from - along.box) };
      const point = b * along.graph;
      const pointer = seenAt(along, before, point);
      const scroll = scrollAfterZoom(along, before, pointer, to);
      const most = Math.max(0, along.graph * to - along.box);
      expect(scroll >= 0 && scroll <= most).toBe(true);
      if (scroll > 0 && scroll < most) expect(seenAt(along, { zoom: to, scroll }, point)).toBeCloseTo(pointer, 3);
    }),
  );
  expect(scrollAfterZoom({ graph: 1_000, box: 400, isCentred: false }, { zoom: 1, scroll: 100 }, 50, 2)).toBe(250);
});

test('[UI-ZOOM2] while somebody zooms, the old picture is scaled to where the new one will be', () => {
  fc.assert(
    fc.property(axis, zoom, zoom, share, share, share, (along, from, to, a, b, c) => {
      const [before, after] = [from, to].map((each, i) => ({
        zoom: each,
        scroll: (i === 0 ? a : b) * Math.max(0, along.graph * each - along.box),
      })) as [Position, Position];
      const start = seenAt(along, before, 0) + shiftBetween(along, before, after);
      const point = c * along.graph;
      expect(start + (point * before.zoom * to) / from).toBeCloseTo(seenAt(along, after, point), 3);
    }),
  );
});
