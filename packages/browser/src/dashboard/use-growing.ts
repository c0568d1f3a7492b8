import { useLayoutEffect, useState } from 'preact/hooks';
import { yieldToPage } from '../parts/yield-to-page.ts';

/** So many are drawn in one task. Most screens show about as many. */
const AT_ONCE = 20;

/**
 * How many of a long list to draw: some at once, then more in each task until all are drawn, so that the page answers its
 * user meanwhile. A list that has become longer grows in the same way.
 */
export function useGrowing(length: number): number {
  const [drawn, setDrawn] = useState(AT_ONCE);
  const now = Math.max(Math.min(drawn, length), AT_ONCE);
  useLayoutEffect(() => {
    if (drawn !== now) setDrawn(now);
    if (now >= length) return undefined;
    let isOver = false;
    void yieldToPage().then(() => {
      if (!isOver) setDrawn(now + AT_ONCE);
    });
    return () => {
      isOver = true;
    };
  }, [now, length]);
  return now;
}
