import type { PipelineAnswer, ResourceAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import type { Favourites } from '../dashboard/favourites.ts';
import { StarButton } from '../dashboard/star-button.tsx';
import { varsTextOfQuery } from '../dashboard/vars-text.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import type { Navigation } from '../routes/navigation.ts';
import { configPath, type Route, withSearch } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { backgroundOf } from './background.ts';
import { findJobs } from './find-jobs.ts';
import { FollowBar, useFollowed } from './follow-bar.tsx';
import { chosenGroups, groupNames, resourcesOf } from './group-status.ts';
import { GroupTabs } from './group-tabs.tsx';
import { JobSearch } from './job-search.tsx';
import { ManageDialog } from './manage-dialog.tsx';
import { PipelineGraph } from './pipeline-graph.tsx';
import { JobTable, ResourceTable } from './tables.tsx';
import { TypeTable } from './type-table.tsx';

type PipelineRoute = Extract<Route, { page: 'pipeline' }>;
const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

interface PipelinePageProps {
  readonly route: PipelineRoute;
  readonly navigation: Navigation;
  readonly favourites: Favourites;
}

/** A pipeline: the graph of its jobs, and the same as tables. */
export function PipelinePage({ route, navigation, favourites }: PipelinePageProps) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline: name, vars } = route;
  const call = { at: { team, pipeline: name }, query: vars };
  const polled = usePolled(
    JSON.stringify([team, name, vars]),
    async (signal) => {
      const [pipeline, jobs, resources] = await Promise.all([
        client.get(`GET ${PIPELINE}`, call, signal),
        client.get(`GET ${PIPELINE}/jobs`, call, signal),
        client.get(`GET ${PIPELINE}/resources`, call, signal),
      ]);
      return { pipeline, jobs, resources };
    },
    { isAbout: ({ list, pipelines }, { pipeline }) => list === true || pipelines?.includes(pipeline.id) === true },
  );
  const action = useAction(() => polled.refresh());
  const [isManaged, setManaged] = useState(false);
  const followed = useFollowed(route);
  useTitle(vars === '' ? name : `${name} (${varsTextOfQuery(vars)})`);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { pipeline, jobs, resources } = value;
  const groups = groupNames(pipeline);
  const chosen = chosenGroups(groups, route.groups);
  const shown = chosen.length === 0 ? jobs : jobs.filter((job) => job.groups?.some((group) => chosen.includes(group)));
  const { search = '' } = route;
  const found = findJobs(search, shown);
  const listed = found ? shown.filter((job) => found.has(job.name)) : shown;
  const used = resourcesOf(resources, shown, chosen);
  const background = backgroundOf(pipeline.display, location.origin, imageOrigins());
  const verb = pipeline.paused ? 'unpause' : 'pause';
  const show = pipeline.public ? 'hide' : 'expose';
  return (
    <>
      <header class="build-header">
        {(pipeline.archived || pipeline.paused) && (
          <StatusMark mark={pipeline.archived ? 'archived' : 'paused'} size={28} />
        )}
        <div class="build-name">
          <h1>
            {name}
            {vars !== '' && <span class="soft"> {varsTextOfQuery(vars)}</span>}
          </h1>
          <Words pipeline={pipeline} resources={resources} />
        </div>
        <div class="build-actions">
          {session.may(team, 'viewer') && (
            <a class="button" href={configPath(route)}>
              Configuration
            </a>
          )}
          <ActionButton
            label="Manage"
            title="Rename, archive or destroy the pipeline"
            reason={session.whyNot(team, 'member')}
            onClick={() => setManaged(true)}
          >
            Manage
          </ActionButton>
          <StarButton name={name} isOn={favourites.has(pipeline)} onToggle={() => favourites.toggle(pipeline.id)} />
          <ActionButton
            label={pipeline.public ? 'Hide' : 'Expose'}
            title={pipeline.public ? 'Everybody can see it: hide it' : 'Only the team can see it: let everybody see it'}
            reason={session.whyNot(team, 'member')}
            onClick={() => action.run(() => client.put(`PUT ${PIPELINE}/${show}`, call))}
          >
            <Icon name={pipeline.public ? 'eye' : 'hidden'} /> {pipeline.public ? 'Hide' : 'Expose'}
          </ActionButton>
          <ActionButton
            label={pipeline.paused ? 'Unpause' : 'Pause'}
            reason={pipeline.archived ? 'The pipeline is archived' : session.whyNot(team, 'pipeline-operator')}
            onClick={() => action.run(() => client.put(`PUT ${PIPELINE}/${verb}`, call))}
          >
            <Icon name={pipeline.paused ? 'play' : 'pause'} /> {pipeline.paused ? 'Unpause' : 'Pause'}
          </ActionButton>
        </div>
      </header>
      <Problem of={action} />
      <Outdated error={error} />
      {groups.length > 0 && <GroupTabs {...{ groups, chosen, jobs, navigation, search }} of={route} />}
      <FollowBar route={route} followed={followed} jobs={shown.length} />
      <PipelineGraph
        key={JSON.stringify([team, name, vars])}
        {...{ resources, background, found }}
        jobs={shown}
        of={route}
        reached={followed?.reached}
        tools={
          <JobSearch
            search={search}
            onSearch={(text) => navigation.replace(withSearch(navigation.address.value, text))}
            found={found?.size}
            jobs={shown.length}
          />
        }
      />
      <JobTable jobs={listed} of={route} reached={followed?.reached} />
      {used.length > 0 && <ResourceTable resources={used} of={route} />}
      <TypeTable of={route} archivedReason={pipeline.archived ? 'The pipeline is archived' : undefined} />
      {isManaged && (
        <ManageDialog
          {...{ pipeline, navigation }}
          of={route}
          onChange={() => polled.refresh()}
          onClose={() => setManaged(false)}
        />
      )}
    </>
  );
}

/** The servers whose pictures the policy of this page allows. Web writes them into the page. */
function imageOrigins(): readonly string[] {
  return document.documentElement.dataset['imageOrigins']?.split(' ') ?? [];
}

function Words({ pipeline, resources }: { pipeline: PipelineAnswer; resources: readonly ResourceAnswer[] }) {
  const pinned = resources.filter((resource) => resource.pinned_version).length;
  return (
    <p class="soft">
      {pipeline.archived ? 'archived' : pipeline.paused ? 'paused' : 'active'}
      {pipeline.paused && pipeline.paused_by ? ` by ${pipeline.paused_by}` : ''}
      {pipeline.paused && pipeline.paused_at !== undefined && (
        <>
          {' '}
          <Ago at={pipeline.paused_at} />
        </>
      )}
      {pipeline.public ? ', everybody can see it' : ''}
      {pinned > 0 && (
        <>
          ,{' '}
          <a href="#resources" class="pinned-count">
            {pinned === 1 ? '1 resource is pinned' : `${pinned} resources are pinned`}
          </a>
        </>
      )}
    </p>
  );
}
