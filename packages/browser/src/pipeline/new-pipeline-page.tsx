import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { Failed, Loading, Message, SignInLink } from '../parts/message.tsx';
import { useTitle } from '../parts/title.ts';
import type { Navigation } from '../routes/navigation.ts';
import { pipelinePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { ConfigEditor, NOT_THERE } from './config-editor.tsx';
import { FIRST_PIPELINE } from './first-pipeline.ts';

/** Sets a pipeline that is not there yet, in one of the teams where the user may. */
export function NewPipelinePage({ navigation }: { navigation: Navigation }) {
  const session = useSession();
  const polled = usePolled('teams', async (signal) => {
    const teams = await session.client.get('GET /api/v1/teams', { at: {} }, signal);
    return teams.map(({ name }) => name).filter((name) => session.may(name, 'member'));
  });
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const [warnings, setWarnings] = useState<readonly string[]>();
  useTitle('New pipeline');
  const { value: teams, error } = polled.loaded.value;
  if (!teams) return error ? <Failed error={error} /> : <Loading />;
  const team = chosen ?? teams[0];
  if (team === undefined) {
    return (
      <Message title="No pipeline can be set">
        <p>This needs the role member in a team.</p>
        {session.user.value === null && <SignInLink />}
      </Message>
    );
  }
  const of = { team, pipeline: name, vars: '' };
  if (warnings) return <Done {...{ name, warnings }} href={pipelinePath(of)} />;
  return (
    <>
      <header class="build-header">
        <div class="build-name">
          <h1>New pipeline</h1>
          <p class="soft">It is paused until somebody unpauses it.</p>
        </div>
      </header>
      <ConfigEditor
        base={NOT_THERE}
        begin={FIRST_PIPELINE}
        of={of}
        onCancel={() => navigation.go('/')}
        onSaved={(found) => (found.length === 0 ? navigation.go(pipelinePath(of)) : setWarnings(found))}
      >
        <p class="dialog-line">
          <label>
            Name{' '}
            <input
              class="field"
              required
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <label>
            Team{' '}
            <select value={team} onChange={(event) => setChosen(event.currentTarget.value)}>
              {teams.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        </p>
      </ConfigEditor>
    </>
  );
}

function Done({ name, warnings, href }: { name: string; warnings: readonly string[]; href: string }) {
  return (
    <Message title="The pipeline is set">
      <p class="banner" role="status">
        {warnings.join('\n')}
      </p>
      <p>
        <a href={href}>Go to {name}</a>
      </p>
    </Message>
  );
}
