import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';

interface ZoomButtonsProps {
  readonly zoom: number;
  readonly onStep: (direction: 1 | -1) => void;
  /** Shows the graph at 100 %. */
  readonly onFullSize: () => void;
  readonly onFit: () => void;
}

/** The zoom of a graph, by buttons and by keys. */
export function ZoomButtons({ zoom, onStep, onFullSize, onFit }: ZoomButtonsProps) {
  const more = () => onStep(1);
  // `=` is the key of `+` without shift.
  useKeys({ '+': more, '=': more, '-': () => onStep(-1), '0': onFullSize, f: onFit });
  const percent = `${Math.round(zoom * 100)} %`;
  return (
    <div class="zoom">
      <ZoomButton label="Zoom out" keyName="-" onClick={() => onStep(-1)}>
        <Icon name="minus" />
      </ZoomButton>
      <ZoomButton label={`${percent}: show at 100 %`} keyName="0" onClick={onFullSize}>
        <span class="number">{percent}</span>
      </ZoomButton>
      <ZoomButton label="Zoom in" keyName="+" onClick={more}>
        <Icon name="plus" />
      </ZoomButton>
      <ZoomButton label="Fit to the window" keyName="f" onClick={onFit}>
        <Icon name="fit" />
      </ZoomButton>
    </div>
  );
}

interface ZoomButtonProps {
  readonly label: string;
  readonly keyName: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

function ZoomButton({ label, keyName, onClick, children }: ZoomButtonProps) {
  return (
    <button type="button" aria-label={label} title={`${label} (${keyName})`} onClick={onClick}>
      {children}
    </button>
  );
}
