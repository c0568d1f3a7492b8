import type { BuildInputAnswer, BuildOutputAnswer } from '@seaplane/api/answers';
import { usePolled } from '../api/polled.ts';
import { versionText } from '../resource/versions.ts';
import { useSession } from '../session/session.ts';

/** The versions that a build got and put. */
export function BuildVersions({ id }: { id: number }) {
  const { client } = useSession();
  const polled = usePolled(`versions ${id}`, (signal) =>
    client.get('GET /api/v1/builds/:build/resources', { at: { build: String(id) } }, signal),
  );
  const { value, error } = polled.loaded.value;
  if (!value) return <p class="soft">{error ? error.message : 'Loading ...'}</p>;
  return (
    <div class="version-builds">
      <Versions title="Got" versions={value.inputs} />
      <Versions title="Put" versions={value.outputs} />
    </div>
  );
}

function Versions({ title, versions }: { title: string; versions: readonly (BuildInputAnswer | BuildOutputAnswer)[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {versions.length === 0 && <p class="soft">nothing</p>}
      <ul>
        {versions.map((each) => (
          <li key={each.name}>
            {each.name} <span class="version-text">{versionText(each.version)}</span>
            {'first_occurrence' in each && each.first_occurrence && <span class="tag">new</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
