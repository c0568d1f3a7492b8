import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { hiddenSides, type Side } from './hidden-sides.ts';

/** The sides of a box with more behind them, as it is scrolled and as its size and that of its picture change. */
export function useHiddenSides(box: RefObject<HTMLElement | null>): readonly Side[] {
  const [sides, setSides] = useState<readonly Side[]>([]);
  useLayoutEffect(() => {
    const { current: element } = box;
    if (!element) return undefined;
    const look = () => {
      const now = hiddenSides(element);
      setSides((before) => (before.join() === now.join() ? before : now));
    };
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return sides;
}
