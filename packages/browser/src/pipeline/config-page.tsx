import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago } from '../parts/clock.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { useTitle } from '../parts/title.ts';
import { pipelinePath, type Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { ConfigEditor, type SavedConfig, VERSION_HEADER } from './config-editor.tsx';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';
type ConfigRoute = Extract<Route, { page: 'config' }>;

/** The configuration of a pipeline: to be read by everybody in the team, and set by its members. */
export function ConfigPage({ route }: { route: ConfigRoute }) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline: name, vars } = route;
  const call = { at: { team, pipeline: name }, query: vars };
  const polled = usePolled(
    JSON.stringify(route),
    async (signal) => {
      const [pipeline, config, { configText }] = await Promise.all([
        client.get(`GET ${PIPELINE}`, call, signal),
        client.getText(`GET ${PIPELINE}/config`, call, VERSION_HEADER, signal),
        import('./config-text.ts'), // brings a writer of YAML, which no other page needs
      ]);
      return { pipeline, saved: { text: configText(config.text), version: config.header } };
    },
    { isAbout: ({ list, pipelines }, { pipeline }) => list === true || pipelines?.includes(pipeline.id) === true },
  );
  /** The configuration that somebody has begun to change. Another one that is saved meanwhile does not touch it. */
  const [edited, setEdited] = useState<SavedConfig>();
  const [warnings, setWarnings] = useState<readonly string[]>();
  useTitle(`Configuration of ${name}`);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { pipeline, saved } = value;
  return (
    <>
      <header class="build-header">
        <div class="build-name">
          <h1>
            Configuration of <a href={pipelinePath(route)}>{name}</a>
          </h1>
          <p class="soft">
            version {saved.version}
            {pipeline.last_updated !== undefined && (
              <>
                , set <Ago at={pipeline.last_updated} />
              </>
            )}
            {pipeline.parent_build_id !== undefined && (
              <>
                {' '}
                by <a href={`/builds/${pipeline.parent_build_id}`}>build {pipeline.parent_build_id}</a>
              </>
            )}
          </p>
        </div>
        {!edited && (
          <div class="build-actions">
            <ActionButton label="Edit" reason={session.whyNot(team, 'member')} onClick={() => setEdited(saved)}>
              Edit
            </ActionButton>
          </div>
        )}
      </header>
      <Outdated error={error} />
      {warnings && (
        <p class={warnings.length > 0 ? 'banner' : 'banner good'} role="status">
          {['The pipeline is set.', ...warnings].join('\n')}
        </p>
      )}
      {edited ? (
        <ConfigEditor
          base={edited}
          of={route}
          onCancel={() => setEdited(undefined)}
          onSaved={(found) => {
            setEdited(undefined);
            setWarnings(found);
            polled.refresh();
          }}
        />
      ) : (
        <pre class="config">{saved.text}</pre>
      )}
    </>
  );
}
