import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { formatAge, formatDuration, formatMoment } from './format-time.ts';

/** The time in whole seconds, which ticks while the page is visible. */
export class PageClock {
  readonly #now = signal(currentSeconds());
  readonly now: ReadonlySignal<number> = this.#now;

  start(): void {
    setInterval(() => {
      if (document.visibilityState === 'visible') this.#now.value = currentSeconds();
    }, 1_000);
  }
}

function currentSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

const ClockContext = createContext<PageClock | undefined>(undefined);
export const ClockProvider = ClockContext.Provider;

/** The time in whole seconds. The component is drawn again each second. */
export function useNow(): number {
  return useClock().now.value;
}

function useClock(): PageClock {
  const clock = useContext(ClockContext);
  if (!clock) throw new Error('there is no clock around this component');
  return clock;
}

/** How long ago something was; the exact time on hover. Only a text that changes is drawn again. */
export function Ago({ at }: { at: number }) {
  const { now } = useClock();
  const text = useMemo(() => computed(() => `${formatAge(now.value - at)} ago`), [now, at]);
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatMoment(at)}>
      {text}
    </time>
  );
}

/** How long something took, or takes already. */
export function Lasting({ from, to }: { from: number; to?: number | undefined }) {
  return to === undefined ? <Running from={from} /> : <span class="number">{formatDuration(to - from)}</span>;
}

function Running({ from }: { from: number }) {
  const { now } = useClock();
  const text = useMemo(() => computed(() => formatDuration(now.value - from)), [now, from]);
  return <span class="number">{text}</span>;
}
