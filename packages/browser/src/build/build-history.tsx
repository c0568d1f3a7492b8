import type { BuildAnswer } from '@seaplane/api/answers';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { buildPath, type PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { type History, withKnown } from './history.ts';

interface BuildHistoryProps {
  readonly history: History;
  readonly current: BuildAnswer;
  readonly of: PipelineRef;
}

/** The builds of the job, newest first, and more of them on request. The page's own build is in view. */
export function BuildHistory({ history, current, of }: BuildHistoryProps) {
  const { client } = useSession();
  const job = current.job_name ?? '';
  // Builds that were asked for, with those before them. New builds push none of them out.
  const [asked, setAsked] = useState<History>();
  const known = asked?.hasNewer === history.hasNewer ? asked : undefined;
  const action = useAction(() => {});
  const older = known ? known.older : history.older;
  const builds = withKnown(history.builds, known?.builds ?? []);
  const showOlder = () =>
    action.runOnce(async () => {
      const { team, pipeline, vars } = of;
      const query = [vars, older].filter(Boolean).join('&');
      const { items, ...next } = await client.getPage('GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds', {
        at: { team, pipeline, job },
        query,
      });
      setAsked({
        builds: withKnown(builds, items),
        hasNewer: history.hasNewer,
        ...(next.older !== undefined && { older: next.older }),
      });
    });
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // The frame places the list in any case. To ask for its place before would place the whole page once more.
    const frame = requestAnimationFrame(() => showCurrent(list.current));
    return () => cancelAnimationFrame(frame);
  }, [current.id]);
  return (
    <nav class="build-history" aria-label="Builds of this job" ref={list}>
      {history.hasNewer && <a href={buildPath(of, job, 'latest')}>Newest</a>}
      <ul id="builds">
        {builds.map(({ id, name, status }) => (
          <li key={id}>
            <a href={buildPath(of, job, name)} aria-current={id === current.id ? 'page' : undefined}>
              <StatusMark mark={status} />
              <span class="number">#{name}</span>
            </a>
          </li>
        ))}
      </ul>
      {older !== undefined && (
        <button type="button" class="quiet" onClick={showOlder}>
          Older
        </button>
      )}
      <Problem of={action} />
    </nav>
  );
}

/** Scrolls the list alone: the page stays where it is. */
function showCurrent(list: HTMLElement | null): void {
  const link = list?.querySelector<HTMLElement>('[aria-current]');
  if (!list || !link) return;
  const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - outer.height / 2;
  if (inner.right > outer.right) list.scrollLeft += inner.left - outer.left - outer.width / 2;
}
