import type { JobSummaryAnswer } from '@seaplane/api/answers';
import { StatusMark } from '../parts/status-mark.tsx';
import type { Navigation } from '../routes/navigation.ts';
import { type PipelineRef, pipelinePath, withSearch } from '../routes/routes.ts';
import { groupStatus, toggleGroup } from './group-status.ts';

interface GroupTabsProps {
  readonly groups: readonly string[];
  readonly chosen: readonly string[];
  readonly jobs: readonly JobSummaryAnswer[];
  readonly of: PipelineRef;
  readonly navigation: Navigation;
  /** A search of jobs, which goes on in another group. */
  readonly search: string;
}

/** The groups of a pipeline. A click shows one, a click with shift one more. */
export function GroupTabs({ groups, chosen, jobs, of, navigation, search }: GroupTabsProps) {
  const href = (names: readonly string[]) => {
    const path = pipelinePath(of);
    const query = new URLSearchParams(names.map((name) => ['group', name])).toString();
    return withSearch(`${path}${path.includes('?') ? '&' : '?'}${query}`, search);
  };
  const isAll = groups.length > 1 && groups.every((name) => chosen.includes(name));
  return (
    <nav class="groups" aria-label="Groups">
      {!groups.includes('all') && (
        <a href={href(groups)} aria-current={isAll ? 'true' : undefined}>
          all
        </a>
      )}
      {groups.map((name) => {
        const status = groupStatus(jobs, name);
        return (
          <a
            key={name}
            href={href([name])}
            aria-current={!isAll && chosen.includes(name) ? 'true' : undefined}
            title="Shift and click: show one more"
            onClick={(event) => {
              if (!event.shiftKey) return;
              event.preventDefault();
              navigation.go(href(toggleGroup(chosen, name)));
            }}
          >
            {name} {status && <StatusMark mark={status} size={13} />}
          </a>
        );
      })}
    </nav>
  );
}
