import type { BuildAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { varsText } from '../dashboard/vars-text.ts';
import { BUILD_COLUMNS, BuildCells } from '../parts/build-cells.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { Table } from '../parts/table.tsx';
import { useTitle } from '../parts/title.ts';
import { useSession } from '../session/session.ts';
import { activityOf, type EndedFilter, pathOfBuild } from './activity.ts';

const LIMIT = 200;

/** The builds of all pipelines that the user may see: those that run, those that wait, those that ended last. */
export function ActivityPage() {
  const { client } = useSession();
  const [filter, setFilter] = useState<EndedFilter>('all');
  const polled = usePolled(
    'activity',
    (signal) => client.get('GET /api/v1/builds', { at: {}, query: `limit=${LIMIT}` }, signal),
    {
      isAbout: ({ pipelines, teams, list }) => pipelines !== undefined || teams !== undefined || list === true,
    },
  );
  useTitle('Activity');
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { running, waiting, ended } = activityOf(value, filter);
  return (
    <>
      <h1 class="page-title">Activity</h1>
      <Outdated error={error} />
      <Builds title="Running" builds={running} empty="Nothing runs." />
      <Builds title="Waiting" builds={waiting} empty="Nothing waits." />
      <Builds title="Ended" builds={ended} empty={filter === 'all' ? 'Nothing has run yet.' : 'Nothing went wrong.'}>
        <label class="check">
          <input
            type="checkbox"
            checked={filter === 'failed'}
            onChange={() => setFilter(filter === 'all' ? 'failed' : 'all')}
          />{' '}
          only failed
        </label>
      </Builds>
    </>
  );
}

interface BuildsProps {
  readonly title: string;
  readonly builds: readonly BuildAnswer[];
  readonly empty: string;
  readonly children?: preact.ComponentChildren;
}

function Builds({ title, builds, empty, children }: BuildsProps) {
  return (
    <section class="activity" aria-label={title}>
      <h2>
        {title} <span class="soft">{builds.length}</span> {children}
      </h2>
      {builds.length === 0 ? (
        <p class="step-note">{empty}</p>
      ) : (
        <Table columns={BUILD_COLUMNS}>
          {builds.map((build) => (
            <Row key={build.id} build={build} />
          ))}
        </Table>
      )}
    </section>
  );
}

function Row({ build }: { build: BuildAnswer }) {
  const { id, team_name: team, pipeline_name: pipeline, pipeline_instance_vars: vars, job_name: job, name } = build;
  return (
    <tr data-build-id={id}>
      <td>
        <a href={pathOfBuild(build)}>
          {job === undefined ? 'one-off' : `${pipeline} / ${job}`} <span class="number">#{name}</span>
        </a>{' '}
        <span class="soft">{vars ? `${team}, ${varsText(vars)}` : team}</span>
      </td>
      <BuildCells build={build} />
    </tr>
  );
}
