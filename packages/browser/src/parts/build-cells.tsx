import type { BuildAnswer } from '@seaplane/api/answers';
import { Ago, Lasting } from './clock.tsx';
import { StatusMark, wordFor } from './status-mark.tsx';

export const BUILD_COLUMNS = ['Build', 'Status', 'Took', 'Started', 'By'] as const;

/** The cells of a build after its name: its status, its times, and who started it. */
export function BuildCells({ build }: { build: BuildAnswer }) {
  return (
    <>
      <td class="status-cell">
        <StatusMark mark={build.status} /> {wordFor(build.status)}
      </td>
      <td>{build.start_time !== undefined && <Lasting from={build.start_time} to={build.end_time} />}</td>
      <td>{build.start_time !== undefined && <Ago at={build.start_time} />}</td>
      <td>
        {build.created_by ?? 'new versions'}
        {build.comment && <span class="soft"> {build.comment.split('\n')[0]}</span>}
      </td>
    </>
  );
}
