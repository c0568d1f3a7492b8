import type { BuildAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ClearVersionsDialog } from '../resource/clear-dialogs.tsx';
import { LastCheck } from '../resource/last-check.tsx';
import type { PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

const TYPES = '/api/v1/teams/:team/pipelines/:pipeline/resource-types';

/** The resource types of a pipeline. Their versions are images, which a check finds. */
export function TypeTable({ of, archivedReason }: { of: PipelineRef; archivedReason: string | undefined }) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline, vars } = of;
  const call = { at: { team, pipeline }, query: vars };
  const polled = usePolled(JSON.stringify(['types', of]), (signal) => client.get(`GET ${TYPES}`, call, signal));
  const action = useAction(() => {});
  const [asked, setAsked] = useState<BuildAnswer>();
  const [cleared, setCleared] = useState<string>();
  const types = polled.loaded.value.value ?? [];
  if (types.length === 0) return null;
  const reason = archivedReason ?? session.whyNot(team, 'pipeline-operator');
  const adminReason = session.user.value?.is_admin ? archivedReason : 'Only administrators may do this';
  const check = (type: string) =>
    action.runOnce(async () => {
      const at = { ...call.at, type };
      setAsked(await client.post(`POST ${TYPES}/:type/check`, { at, query: vars, body: { from: null } }));
    });
  return (
    <>
      <Problem of={action} />
      <Table columns={['Resource type', 'Type', '.Actions']}>
        {types.map(({ name, type }) => (
          <tr key={String(name)}>
            <td>{String(name)}</td>
            <td>{String(type)}</td>
            <td class="row-actions">
              <ActionButton
                class="quiet"
                label="Check now"
                about={`type ${name}`}
                reason={reason}
                onClick={() => check(String(name))}
              >
                <Icon name="again" /> Check
              </ActionButton>
              <ActionButton
                class="quiet"
                label="Clear versions"
                about={`type ${name}`}
                reason={adminReason}
                onClick={() => setCleared(String(name))}
              >
                Clear versions
              </ActionButton>
            </td>
          </tr>
        ))}
      </Table>
      {asked && <TypeCheck key={asked.id} asked={asked} />}
      {cleared !== undefined && (
        <ClearVersionsDialog
          of={of}
          name={cleared}
          kind="type"
          onDone={() => {}}
          onClose={() => setCleared(undefined)}
        />
      )}
    </>
  );
}

/** A check that somebody asked for, with its output. Its end is asked for when its events have ended. */
function TypeCheck({ asked }: { asked: BuildAnswer }) {
  const { client } = useSession();
  const polled = usePolled(`check ${asked.id}`, (signal) =>
    client.get('GET /api/v1/builds/:build', { at: { build: String(asked.id) } }, signal),
  );
  const check = polled.loaded.value.value ?? asked;
  return <LastCheck check={check} isAwaited={true} onEnd={() => polled.refresh()} />;
}
