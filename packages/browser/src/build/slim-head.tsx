import type { BuildAnswer } from '@seaplane/api/answers';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { Lasting } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';

/** The bar of the page covers so much of the window's top. */
const BAR_PX = 53;

interface SlimHeadProps {
  readonly build: BuildAnswer;
  /** Why the user may not abort the build. */
  readonly reason: string | undefined;
  readonly onAbort: () => void;
}

/**
 * Names a running build and aborts it while the head of the page is out of the window: the page follows the end of the log.
 * It takes no room in the page, so that nothing moves when it comes or goes.
 */
export function SlimHead({ build, reason, onAbort }: SlimHeadProps) {
  const edge = useRef<HTMLDivElement>(null);
  const isAway = useIsAbove(edge);
  return (
    <>
      <div ref={edge} />
      <div class="slim-head">
        {isAway && (
          <div class="slim-head-bar">
            <StatusMark mark={build.status} />
            <span class="slim-name">
              {build.job_name ?? build.resource_name ?? 'build'} #{build.name}
            </span>
            <span class="soft">
              {wordFor(build.status)}
              {build.start_time !== undefined && (
                <>
                  {', '}
                  <Lasting from={build.start_time} to={build.end_time} />
                </>
              )}
            </span>
            <ActionButton label="Abort" title="Abort (A)" reason={reason} onClick={onAbort}>
              <Icon name="stop" /> Abort
            </ActionButton>
          </div>
        )}
      </div>
    </>
  );
}

/** Whether this element is above the part of the window that somebody sees. */
function useIsAbove(edge: { readonly current: HTMLElement | null }): boolean {
  const [isAbove, setIsAbove] = useState(false);
  useEffect(() => {
    if (!edge.current) return;
    const onMove = ([entry]: readonly IntersectionObserverEntry[]) =>
      entry && setIsAbove(!entry.isIntersecting && entry.boundingClientRect.top <= BAR_PX);
    const observer = new IntersectionObserver(onMove, { rootMargin: `-${BAR_PX}px 0px 0px` });
    observer.observe(edge.current);
    return () => observer.disconnect();
  }, []);
  return isAbove;
}
