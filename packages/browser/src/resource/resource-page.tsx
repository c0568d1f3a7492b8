import type { BuildAnswer, VersionAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { Problem } from '../parts/problem.tsx';
import { ResourceIcon } from '../parts/resource-icon.tsx';
import { useTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import { type Route, resourcePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { ClearCacheDialog, ClearVersionsDialog } from './clear-dialogs.tsx';
import { LastCheck } from './last-check.tsx';
import { PinBar } from './pin-bar.tsx';
import { type VersionActions, VersionRow } from './version-row.tsx';
import { isPinned, pinComment } from './versions.ts';

export type ResourceRoute = Extract<Route, { page: 'resource' }>;
const RESOURCE = '/api/v1/teams/:team/pipelines/:pipeline/resources/:resource';
const PAGE = 100;

/** A resource: its last check, its pin, and its versions, newest first. */
export function ResourcePage({ route }: { route: ResourceRoute }) {
  const session = useSession();
  const { client, user } = session;
  const { team, pipeline, resource: name, vars, filters } = route;
  const call = { at: { team, pipeline, resource: name }, query: vars };
  const polled = usePolled(
    JSON.stringify(route),
    async (signal) => {
      const query = [vars, rangeQuery(route)].filter(Boolean).join('&');
      const [resource, versions, owner] = await Promise.all([
        client.get(`GET ${RESOURCE}`, call, signal),
        client.getPage(`GET ${RESOURCE}/versions`, { ...call, query }, signal),
        client.get('GET /api/v1/teams/:team/pipelines/:pipeline', call, signal),
      ]);
      return { resource, versions, isArchived: owner.archived };
    },
    {
      isAbout: ({ pipelines }, { resource }) => pipelines?.includes(resource.pipeline_id) === true,
      isMoving: () => true, // nobody announces a check that ends like the one before
    },
  );
  const action = useAction(() => polled.refresh());
  const [asked, setAsked] = useState<BuildAnswer>();
  const [opened, setOpened] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [clearing, setClearing] = useState<'cache' | 'versions'>();
  useTitle(name);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { resource, versions, isArchived } = value;
  const { items, older, newer } = versions;

  const reason = isArchived ? 'The pipeline is archived' : session.whyNot(team, 'pipeline-operator');
  const change = (path: 'enable' | 'disable' | 'pin', version: VersionAnswer) =>
    client.put(`PUT ${RESOURCE}/versions/:version/${path}`, {
      at: { ...call.at, version: String(version.id) },
      query: vars,
    });
  const comment = (text: string) => client.put(`PUT ${RESOURCE}/pin_comment`, { ...call, body: { pin_comment: text } });
  const unpin = () => action.run(() => client.put(`PUT ${RESOURCE}/unpin`, call));
  const isOpen = (version: VersionAnswer) => opened.get(version.id) ?? (filters.length > 0 && version === items[0]);
  const actions: VersionActions = {
    reason,
    pinReason: resource.pinned_in_config ? 'The configuration of the pipeline pins a version' : reason,
    enable: (version, isEnabled) => action.run(() => change(isEnabled ? 'enable' : 'disable', version)),
    pin: (version) =>
      action.run(async () => {
        await change('pin', version);
        await comment(pinComment(user.value?.display_user_id ?? '', new Date()));
      }),
    unpin,
    toggle: (version) => setOpened(new Map(opened).set(version.id, !isOpen(version))),
  };
  const check = () =>
    action.runOnce(async () =>
      setAsked(await client.post(`POST ${RESOURCE}/check`, { ...call, body: { from: null } })),
    );
  // The list knows the check that somebody asked for as soon as it has ended.
  const isAwaited = asked !== undefined && (resource.build?.id ?? 0) <= asked.id;
  const last = isAwaited && resource.build?.id !== asked.id ? asked : resource.build;
  const clearProps = { of: route, name, onDone: () => polled.refresh(), onClose: () => setClearing(undefined) };
  return (
    <>
      <header class="build-header resource-header">
        <div class="build-name">
          <h1>
            <ResourceIcon icon={resource.icon} />
            {name}
          </h1>
          <p class="soft">
            {resource.type}
            {resource.last_checked === undefined ? (
              ', never checked'
            ) : (
              <>
                , checked <Ago at={resource.last_checked} />
              </>
            )}
          </p>
        </div>
        <div class="build-actions">
          <ActionButton
            class="quiet"
            label="Clear cache"
            title="Fetch its versions again when a build gets one"
            reason={reason}
            onClick={() => setClearing('cache')}
          >
            Clear cache
          </ActionButton>
          <ActionButton
            class="quiet"
            label="Clear versions"
            title="Forget all its versions"
            reason={user.value?.is_admin ? undefined : 'Only administrators may do this'}
            onClick={() => setClearing('versions')}
          >
            Clear versions
          </ActionButton>
          <ActionButton class="primary" label="Check now" reason={reason} onClick={check}>
            <Icon name="again" /> Check now
          </ActionButton>
        </div>
      </header>
      <Problem of={action} />
      <Outdated error={error} />
      <PinBar
        resource={resource}
        reason={reason}
        onUnpin={unpin}
        onComment={(text) => action.run(() => comment(text))}
      />
      {last && <LastCheck key={last.id} check={last} isAwaited={isAwaited} onEnd={() => polled.refresh()} />}
      {filters.length > 0 && (
        <p class="filters">
          Versions with {filters.join(', ')}. <a href={resourcePath(route, name)}>Show all versions</a>
        </p>
      )}
      {items.length === 0 ? (
        <p class="step-note">{filters.length > 0 ? 'No version is like this.' : 'No version was found yet.'}</p>
      ) : (
        <ul class="versions">
          {items.map((version) => (
            <VersionRow
              key={version.id}
              of={route}
              resource={name}
              version={version}
              isPinned={isPinned(version.version, resource.pinned_version)}
              isOpen={isOpen(version)}
              actions={actions}
            />
          ))}
        </ul>
      )}
      {filters.length === 0 && (
        <nav class="pages" aria-label="Pages of versions">
          {newer !== undefined && <a href={resourcePath(route, name)}>Newest</a>}
          {newer !== undefined && <a href={resourcePath(route, name, newer)}>Newer</a>}
          {older !== undefined && <a href={resourcePath(route, name, older)}>Older</a>}
        </nav>
      )}
      {clearing === 'cache' && <ClearCacheDialog {...clearProps} />}
      {clearing === 'versions' && <ClearVersionsDialog {...clearProps} kind="resource" />}
    </>
  );
}

function rangeQuery({ from, to, filters }: ResourceRoute): string {
  return new URLSearchParams([
    ['limit', String(PAGE)],
    ...(from === undefined ? [] : [['from', from]]),
    ...(to === undefined ? [] : [['to', to]]),
    ...filters.map((filter) => ['filter', filter]),
  ]).toString();
}
