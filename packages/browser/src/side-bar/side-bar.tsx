import type { PipelineAnswer } from '@seaplane/api/answers';
import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { usePolled } from '../api/polled.ts';
import type { Favourites } from '../dashboard/favourites.ts';
import { type Grouped, groupInstances } from '../dashboard/group-instances.ts';
import { groupPath } from '../dashboard/group-path.ts';
import { StarButton } from '../dashboard/star-button.tsx';
import { varsText } from '../dashboard/vars-text.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import { pipelinePath, type Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { resizeHandlers } from './resize-handlers.ts';
import { LEAST_WIDTH, MOST_WIDTH, type SideBarState } from './side-bar-state.ts';

interface SideBarProps {
  readonly route: Route | undefined;
  readonly favourites: Favourites;
  readonly state: SideBarState;
}

/** All pipelines: the favourites, then those of each team. */
export function SideBar({ route, favourites, state }: SideBarProps) {
  const { client } = useSession();
  const polled = usePolled('pipelines', (signal) => client.get('GET /api/v1/pipelines', { at: {} }, signal), {
    isAbout: ({ list, pipelines: changed }) => list === true || changed !== undefined,
  });
  const pipelines = (polled.loaded.value.value ?? []).filter(({ archived }) => !archived);
  const teams = [...Map.groupBy(pipelines, ({ team_name: team }) => team)].map(
    ([team, own]) => [team, groupInstances(own, (pipeline) => pipeline)] as const,
  );
  const starred = [
    ...teams.flatMap(([, entries]) => entries.filter((entry) => isStarredGroup(favourites, entry))),
    ...pipelines.filter((pipeline) => favourites.has(pipeline)).map((item) => ({ kind: 'single', item }) as const),
  ];
  const current = route && 'pipeline' in route ? route : undefined;
  const isCurrent = (pipeline: PipelineAnswer) =>
    current !== undefined &&
    current.team === pipeline.team_name &&
    current.pipeline === pipeline.name &&
    current.vars === instanceVarsQuery(pipeline.instance_vars);
  const parts = { favourites, isCurrent };
  return (
    <nav id="side-bar" class="side-bar" aria-label="Pipelines" style={{ width: `${state.look.value.width}px` }}>
      <div class="side-bar-list">
        {starred.length > 0 && (
          <details open={true}>
            <summary>Favourites</summary>
            <ul>
              <Items entries={starred} {...parts} />
            </ul>
          </details>
        )}
        {teams.map(([team, entries]) => (
          <details key={team} open={teams.length === 1 || current?.team === team}>
            <summary>{team}</summary>
            <ul>
              <Items entries={entries} {...parts} />
            </ul>
          </details>
        ))}
        {pipelines.length === 0 && <p class="soft">No pipelines</p>}
      </div>
      <hr
        class="side-bar-edge"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label="Width of the side bar"
        aria-valuenow={state.look.value.width}
        aria-valuemin={LEAST_WIDTH}
        aria-valuemax={MOST_WIDTH}
        {...resizeHandlers(state)}
      />
    </nav>
  );
}

type Entry = Grouped<PipelineAnswer>;

function isStarredGroup(favourites: Favourites, entry: Entry): boolean {
  return entry.kind === 'group' && favourites.hasGroup(entry.team, entry.name);
}

interface ItemParts {
  readonly favourites: Favourites;
  readonly isCurrent: (pipeline: PipelineAnswer) => boolean;
}

function Items({ entries, ...parts }: { entries: readonly Entry[] } & ItemParts) {
  return entries.map((entry) =>
    entry.kind === 'single' ? (
      <PipelineItem key={entry.item.id} pipeline={entry.item} {...parts} />
    ) : (
      <GroupItem key={`${entry.team} ${entry.name}`} {...entry} {...parts} />
    ),
  );
}

function PipelineItem({ pipeline, favourites, isCurrent }: { pipeline: PipelineAnswer } & ItemParts) {
  const { team_name: team, name, instance_vars: vars } = pipeline;
  const path = pipelinePath({ team, pipeline: name, vars: instanceVarsQuery(vars) });
  const text = vars === undefined ? name : `${name} / ${varsText(vars)}`;
  return (
    <li>
      <a href={path} aria-current={isCurrent(pipeline) ? 'page' : undefined} title={text}>
        {text}
      </a>
      {pipeline.paused && <StatusMark mark="paused" size={14} />}
      <StarButton name={text} isOn={favourites.has(pipeline)} onToggle={() => favourites.toggle(pipeline.id)} />
    </li>
  );
}

interface GroupItemProps extends ItemParts {
  readonly name: string;
  readonly team: string;
  readonly items: readonly PipelineAnswer[];
}

function GroupItem({ name, team, items, favourites, isCurrent }: GroupItemProps) {
  return (
    <li>
      <a href={groupPath(team, name)} aria-current={items.some(isCurrent) ? 'page' : undefined} title={name}>
        {name}
      </a>
      <span class="count">{items.length}</span>
      <StarButton
        name={name}
        isOn={favourites.hasGroup(team, name)}
        onToggle={() => favourites.toggleGroup(team, name)}
      />
    </li>
  );
}
