import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Size } from './layout.ts';
import { limitZoom, scrollAfterZoom, shiftBetween, zoomAtStart, zoomByWheel, zoomStep, zoomToFit } from './zoom.ts';

/** A gesture is over if nothing has come for so long. */
const GESTURE_END_MS = 150;

interface View {
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
}

interface Zoom {
  readonly zoom: number;
  readonly step: (direction: 1 | -1) => void;
  readonly showFullSize: () => void;
  readonly fit: () => void;
}

/**
 * The zoom of a graph of this size in a box that scrolls. Ctrl and the wheel, which a pinch is too, zoom at the pointer:
 * the picture as it is is scaled meanwhile, and drawn anew at the end. The size counts when it is ready.
 */
export function useZoom(box: RefObject<HTMLElement | null>, size: Size, isReady: boolean): Zoom {
  const [view, setView] = useState<View>();
  /** The view after all events so far, until it is drawn. */
  const next = useRef<View>(undefined);
  const gesture = useRef<ReturnType<typeof setTimeout>>(undefined);
  const zoom = view?.zoom ?? 1;

  const change = (zoomOf: (zoom: number, toFit: number) => number, pointer?: readonly [x: number, y: number]) => {
    const { current: element } = box;
    if (!element) return;
    const room = roomOf(element);
    const now = next.current ?? drawnView(element, zoom);
    const toFit = zoomToFit(size, room);
    const to = limitZoom(zoomOf(now.zoom, toFit), toFit);
    const [x, y] = pointer ?? [element.clientWidth / 2, element.clientHeight / 2];
    const { across, down } = axesOf(size, room);
    next.current = {
      zoom: to,
      left: scrollAfterZoom(across, { zoom: now.zoom, scroll: now.left }, x, to),
      top: scrollAfterZoom(down, { zoom: now.zoom, scroll: now.top }, y, to),
    };
  };
  const draw = () => {
    clearTimeout(gesture.current);
    setView(next.current);
  };
  const onPinch = (event: WheelEvent) => {
    const { current: element } = box;
    if (!event.ctrlKey || !element) return;
    event.preventDefault();
    const { left, top } = element.getBoundingClientRect();
    change((from) => zoomByWheel(from, event), [event.clientX - left, event.clientY - top]);
    if (next.current) scalePicture(element, size, drawnView(element, zoom), next.current);
    clearTimeout(gesture.current);
    gesture.current = setTimeout(draw, GESTURE_END_MS);
  };

  useLayoutEffect(() => {
    const { current: element } = box;
    if (!view || !element) return;
    element.removeAttribute('style');
    pictureIn(element)?.removeAttribute('style');
    element.scrollTo({ left: view.left, top: view.top, behavior: 'instant' });
    next.current = undefined;
  }, [view]);
  useLayoutEffect(() => {
    const { current: element } = box;
    if (!isReady || !element) return;
    const start = zoomAtStart(size.width, element.clientWidth);
    if (start !== 1) setView((before) => before ?? { zoom: start, left: 0, top: 0 });
  }, [isReady]);
  const onPinchNow = useRef(onPinch);
  onPinchNow.current = onPinch;
  useLayoutEffect(() => {
    const { current: element } = box;
    const onWheel = (event: WheelEvent) => onPinchNow.current(event);
    // The browser zooms the whole page if it may go on before the answer.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      clearTimeout(gesture.current);
      element?.removeEventListener('wheel', onWheel);
    };
  }, []);
  const changeAndDraw = (zoomOf: (zoom: number, toFit: number) => number) => {
    change(zoomOf);
    draw();
  };
  return {
    zoom,
    step: (direction) => changeAndDraw((from) => zoomStep(from, direction)),
    showFullSize: () => changeAndDraw(() => 1),
    fit: () => changeAndDraw((_, toFit) => toFit),
  };
}

function drawnView({ scrollLeft, scrollTop }: HTMLElement, zoom: number): View {
  return { zoom, left: scrollLeft, top: scrollTop };
}

/** Shows the drawn picture as if it were drawn at another view. Drawing thousands of parts takes longer than a frame. */
function scalePicture(element: HTMLElement, size: Size, from: View, to: View): void {
  const picture = pictureIn(element);
  if (!picture) return;
  const room = roomOf(element);
  const { across, down } = axesOf(size, room);
  const [x, y] = [
    shiftBetween(across, { zoom: from.zoom, scroll: from.left }, { zoom: to.zoom, scroll: to.left }),
    shiftBetween(down, { zoom: from.zoom, scroll: from.top }, { zoom: to.zoom, scroll: to.top }),
  ];
  // The same height again and again costs nothing, as that of a large graph is.
  element.style.height = `${Math.min(room.height, size.height * to.zoom)}px`;
  picture.style.willChange = 'transform';
  picture.style.transformOrigin = '0 0';
  picture.style.transform = `translate(${x}px, ${y}px) scale(${to.zoom / from.zoom})`;
}

function pictureIn(element: HTMLElement): SVGElement | null {
  return element.querySelector<SVGElement>(':scope > svg');
}

function axesOf({ width, height }: Size, room: Size) {
  return {
    across: { graph: width, box: room.width, isCentred: true },
    down: { graph: height, box: room.height, isCentred: false },
  };
}

/** The room of the box when it is as high as it may be. */
function roomOf(element: HTMLElement): Size {
  const { maxHeight } = getComputedStyle(element);
  return { width: element.clientWidth, height: Number.parseFloat(maxHeight) };
}
