export type Side = 'left' | 'right' | 'top' | 'bottom';

/** The measures of a box that scrolls, as its element has them. */
export interface Scrolled {
  readonly scrollLeft: number;
  readonly scrollTop: number;
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly scrollWidth: number;
  readonly scrollHeight: number;
}

/** The sides of a box behind which there is more to see. Fractions of a pixel do not count. */
export function hiddenSides(box: Scrolled): readonly Side[] {
  const behind: Readonly<Record<Side, number>> = {
    left: box.scrollLeft,
    right: box.scrollWidth - box.clientWidth - box.scrollLeft,
    top: box.scrollTop,
    bottom: box.scrollHeight - box.clientHeight - box.scrollTop,
  };
  return (['left', 'right', 'top', 'bottom'] as const).filter((side) => behind[side] > 1);
}
