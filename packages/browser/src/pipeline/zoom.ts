import type { Size } from './layout.ts';

const LEAST = 0.5;
const MOST = 10;
/** A graph of two jobs does not fill the window. */
const MOST_TO_FIT = 2;
const STEP = 1.25;
/** Names are read well in a graph that is not smaller. */
const LEAST_TO_READ = 0.7;
/** Names are not drawn in a smaller graph: nobody reads letters of four pixels. */
export const LEAST_WITH_NAMES = 0.35;

/** One direction of the picture. */
export interface Axis {
  /** The length of the whole graph at 100 %. */
  readonly graph: number;
  /** The length of the box, as long as it can be. */
  readonly box: number;
  /** Whether a graph shorter than the box stands in its middle, and not at its start. */
  readonly isCentred: boolean;
}

/** A zoom, and how far the box is scrolled in one direction. */
export interface Position {
  readonly zoom: number;
  readonly scroll: number;
}

/** At this zoom the whole graph is seen. */
export function zoomToFit(graph: Size, box: Size): number {
  const fitting = Math.min(box.width / graph.width, box.height / graph.height, MOST_TO_FIT);
  return Math.floor(fitting * 10_000) / 10_000; // a bit more would make a scroll bar
}

/** A graph that is a bit wider than its box starts with all of its width; one that would be too small to read, at 100 %. */
export function zoomAtStart(graphWidth: number, boxWidth: number): number {
  const fitting = Math.floor((boxWidth / graphWidth) * 10_000) / 10_000;
  return fitting < 1 && fitting >= LEAST_TO_READ ? fitting : 1;
}

/** Concourse's limits, but a large graph may be as small as it must be to fit. */
export function limitZoom(zoom: number, toFit: number): number {
  return Math.min(MOST, Math.max(zoom, Math.min(LEAST, toFit)));
}

export function zoomStep(zoom: number, direction: 1 | -1): number {
  const next = zoom * STEP ** direction;
  // Steps from anywhere stop at 100 %, where letters are sharpest.
  return (zoom - 1) * (next - 1) < -0.001 ? 1 : next;
}

/** A pinch sends many small steps, a wheel few large ones. */
export function zoomByWheel(zoom: number, { deltaY, deltaMode }: { deltaY: number; deltaMode: number }): number {
  const pixels = deltaMode === 0 ? deltaY : deltaY * 20;
  return zoom * 2 ** (-Math.max(-40, Math.min(40, pixels)) / 100);
}

/** How far the box is scrolled after a zoom, so that the point of the graph under the pointer stays there. */
export function scrollAfterZoom(axis: Axis, { zoom, scroll }: Position, pointer: number, to: number): number {
  const point = (scroll + pointer - marginOf(axis, zoom)) / zoom;
  const most = Math.max(0, axis.graph * to - axis.box);
  return Math.max(0, Math.min(most, point * to + marginOf(axis, to) - pointer));
}

/** How far the picture as it is must be moved and then scaled, to look as it will at another position. */
export function shiftBetween(axis: Axis, from: Position, to: Position): number {
  return marginOf(axis, to.zoom) - to.scroll - (marginOf(axis, from.zoom) - from.scroll);
}

function marginOf({ graph, box, isCentred }: Axis, zoom: number): number {
  return isCentred ? Math.max(0, (box - graph * zoom) / 2) : 0;
}
