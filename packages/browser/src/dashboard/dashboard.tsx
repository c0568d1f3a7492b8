import type { PipelineAnswer } from '@seaplane/api/answers';
import { useMemo, useRef, useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { useTitle } from '../parts/title.ts';
import type { Navigation } from '../routes/navigation.ts';
import { type DashboardView, dashboardPath, NEW_PIPELINE_PATH } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { NoPipelines } from './empty.tsx';
import type { Favourites } from './favourites.ts';
import { keepUnchangedViews } from './keep-unchanged.ts';
import type { CardActions } from './pipeline-card.tsx';
import type { PipelineView } from './pipeline-status.ts';
import { matches, parseSearch } from './search.ts';
import { TeamCards } from './team-cards.tsx';
import { type Lists, teamsOf, viewPipelines } from './teams.ts';
import { useGrowing } from './use-growing.ts';

interface DashboardProps {
  readonly view: DashboardView;
  readonly navigation: Navigation;
  readonly favourites: Favourites;
}

/** All pipelines that the user may see, by team. */
export function Dashboard({ view: shownAs, navigation, favourites }: DashboardProps) {
  const { search, dense, archived } = shownAs;
  const { client, user } = useSession();
  const [problem, setProblem] = useState<string>();
  useTitle(undefined);
  const last = useRef<Lists>(undefined);
  const lists = usePolled<Lists>(
    'lists',
    async (signal) => {
      const [pipelines, jobs, resources] = await Promise.all([
        client.get('GET /api/v1/pipelines', { at: {} }, signal),
        client.get('GET /api/v1/jobs', { at: {} }, signal),
        client.get('GET /api/v1/resources', { at: {} }, signal),
      ]);
      const { current: old } = last;
      // Answers that the server calls unchanged are the same objects.
      if (old && old.pipelines === pipelines && old.jobs === jobs && old.resources === resources) return old;
      last.current = { pipelines, jobs, resources };
      return last.current;
    },
    { isAbout: ({ list, pipelines }) => list === true || pipelines !== undefined },
  );
  const { value, error } = lists.loaded.value;
  const drawn = useRef<readonly PipelineView[]>([]);
  const views = useMemo(() => {
    drawn.current = value ? keepUnchangedViews(drawn.current, viewPipelines(value)) : [];
    return drawn.current;
  }, [value]);
  const wholeTeams = useMemo(() => Map.groupBy(views, ({ pipeline }) => pipeline.team_name), [views]);
  const terms = parseSearch(search);
  const shown = views.filter((view) => (archived || !view.pipeline.archived) && matches(terms, view));
  const starred = shown.filter(({ pipeline }) => favourites.has(pipeline) || isInStarredGroup(favourites, pipeline));
  const isApart = terms.some(({ field }) => field === 'group');
  const actions: CardActions = useMemo(
    () => ({ favourites, onChange: () => lists.refresh(), onProblem: setProblem }),
    [favourites, lists],
  );
  let left = useGrowing(starred.length + shown.length);
  /** How many of so many cards to draw now. */
  const take = (count: number) => {
    const taken = Math.min(count, left);
    left -= taken;
    return taken;
  };
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  if (value.pipelines.length === 0) return <NoPipelines />;
  return (
    <>
      <Outdated error={error} />
      {problem !== undefined && (
        <p class="banner" role="alert">
          {problem}{' '}
          <button type="button" class="quiet" onClick={() => setProblem(undefined)}>
            Close
          </button>
        </p>
      )}
      <h1 class="for-readers">All pipelines</h1>
      <div class="dashboard-tools">
        <Counts views={shown} />
        <label class="check">
          <input
            type="checkbox"
            checked={archived}
            onChange={() => navigation.replace(dashboardPath({ ...shownAs, archived: !archived }))}
          />{' '}
          archived
        </label>
        {user.value && <a href={NEW_PIPELINE_PATH}>New pipeline</a>}
        <DensityLinks view={shownAs} />
      </div>
      {shown.length === 0 && (
        <section class="message">
          <h2>No pipeline matches</h2>
          <p>
            <a href={dashboardPath({ ...shownAs, search: '' })}>
              Show all {views.filter(({ pipeline }) => archived || !pipeline.archived).length} pipelines
            </a>
          </p>
        </section>
      )}
      {starred.length > 0 && (
        <TeamCards
          title="Favourites"
          views={starred}
          {...{ actions, dense }}
          isApart={true}
          name=""
          most={take(starred.length)}
        />
      )}
      {teamsOf(shown, user.value).map((team) => (
        <TeamCards
          key={team.name}
          title={team.name}
          whole={wholeTeams.get(team.name) ?? []}
          {...team}
          {...{ actions, dense, isApart }}
          most={take(team.views.length)}
        />
      ))}
    </>
  );
}

function isInStarredGroup(favourites: Favourites, { team_name: team, name, instance_vars: vars }: PipelineAnswer) {
  return vars !== undefined && favourites.hasGroup(team, name);
}

function Counts({ views }: { views: readonly PipelineView[] }) {
  const running = views.filter(({ isRunning }) => isRunning).length;
  const failing = views.filter(({ status }) => status === 'failed' || status === 'errored').length;
  const words = [
    views.length === 1 ? '1 pipeline' : `${views.length} pipelines`,
    ...(running > 0 ? [`${running} running`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
  ];
  return (
    <p class="counts" aria-live="polite">
      {words.join(' · ')}
    </p>
  );
}

function DensityLinks({ view }: { view: DashboardView }) {
  const { dense } = view;
  return (
    <nav class="density" aria-label="View">
      <a
        href={dashboardPath({ ...view, dense: false })}
        aria-current={dense ? undefined : 'true'}
        title="Cards"
        aria-label="Cards"
      >
        <Icon name="cards" />
      </a>
      <a
        href={dashboardPath({ ...view, dense: true })}
        aria-current={dense ? 'true' : undefined}
        title="List"
        aria-label="List"
      >
        <Icon name="list" />
      </a>
    </nav>
  );
}
