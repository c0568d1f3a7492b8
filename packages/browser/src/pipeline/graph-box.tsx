import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Background } from './background.ts';
import type { Size } from './layout.ts';
import { useHiddenSides } from './use-hidden-sides.ts';
import { useZoom } from './use-zoom.ts';
import { LEAST_WITH_NAMES } from './zoom.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

interface GraphBoxProps {
  readonly title: string;
  /** The size of the picture at 100 %. */
  readonly size: Size;
  /** Where the picture begins, in both directions. */
  readonly origin: number;
  readonly isBusy: boolean;
  readonly isSearched: boolean;
  readonly background: Background | undefined;
  readonly tools: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A picture that scrolls and zooms. Its parts are not drawn again for that. */
export function GraphBox({ title, size, origin, isBusy, isSearched, background, tools, children }: GraphBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const { zoom, step, showFullSize, fit } = useZoom(box, size, !isBusy);
  const sides = useHiddenSides(box);
  const { width, height } = size;
  const classes = ['graph', ...(isSearched ? ['searched'] : []), ...(zoom < LEAST_WITH_NAMES ? ['far'] : [])];
  return (
    <>
      <div class="graph-tools">
        {tools}
        <ZoomButtons zoom={zoom} onStep={step} onFullSize={showFullSize} onFit={fit} />
      </div>
      <div class="graph-frame">
        {background && <div class="graph-background" style={{ ...background }} />}
        <div ref={box} class={classes.join(' ')} aria-busy={isBusy}>
          <svg width={width * zoom} height={height * zoom} viewBox={`${origin} ${origin} ${width} ${height}`}>
            <title>{title}</title>
            {children}
          </svg>
        </div>
        {sides.map((side) => (
          <span key={side} class={`graph-more graph-more-${side}`} />
        ))}
      </div>
    </>
  );
}
