import { useMemo } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { Failed, Loading, Message } from '../parts/message.tsx';
import { useTitle } from '../parts/title.ts';
import { filterQuery, versionText } from '../resource/versions.ts';
import { causalityPath, followPath, type Route, resourcePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { causalityGraph } from './causality-graph.ts';
import { CausalityView } from './causality-view.tsx';

export type CausalityRoute = Extract<Route, { page: 'causality' }>;
const VERSION = '/api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version';

/** What a version led to, or what led to it. */
export function CausalityPage({ route }: { route: CausalityRoute }) {
  const { client } = useSession();
  const { team, pipeline, resource, version: id, direction, vars } = route;
  const call = { at: { team, pipeline, resource, version: id }, query: vars };
  const polled = usePolled(JSON.stringify(route), async (signal) => {
    const [version, causality] = await Promise.all([
      client.get(`GET ${VERSION}`, call, signal),
      client.get(`GET ${VERSION}/${direction}`, call, signal),
    ]);
    return { version, causality };
  });
  useTitle(`${resource} ${direction}`);
  const { value, error } = polled.loaded.value;
  const causality = value?.causality;
  const graph = useMemo(() => causality && causalityGraph(causality, direction), [causality, direction]);
  if (error?.status === 422) return <TooLarge route={route} />;
  if (!value || !graph) return error ? <Failed error={error} /> : <Loading />;
  const { version } = value;
  const isDown = direction === 'downstream';
  const builds = value.causality.builds.length;
  return (
    <>
      <header class="build-header">
        <div class="build-name">
          <h1>{isDown ? `What came of ${resource}` : `What led to ${resource}`}</h1>
          <p class="soft">
            <a href={resourcePath(route, resource, filterQuery(version.version))}>{versionText(version.version)}</a>,{' '}
            {builds === 1 ? '1 build' : `${builds} builds`}
          </p>
        </div>
        <div class="build-actions">
          <a class="button" href={causalityPath(route, resource, version.id, isDown ? 'upstream' : 'downstream')}>
            {isDown ? 'What led to it' : 'What came of it'}
          </a>
          <a class="button" href={followPath(route, resource, version.id)}>
            Follow it in the pipeline
          </a>
        </div>
      </header>
      {builds === 0 ? (
        <p class="step-note">{isDown ? 'No build has got this version yet.' : 'No build has put this version.'}</p>
      ) : (
        <CausalityView graph={graph} of={route} />
      )}
    </>
  );
}

function TooLarge({ route }: { route: CausalityRoute }) {
  return (
    <Message title="This graph is too large">
      <p>More than 5,000 builds belong to it.</p>
      <p>
        <a href={followPath(route, route.resource, Number(route.version))}>Follow the version in the pipeline</a>
      </p>
    </Message>
  );
}
