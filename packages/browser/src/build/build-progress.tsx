import type { BuildAnswer } from '@seaplane/api/answers';
import { useNow } from '../parts/clock.tsx';
import { formatDuration } from '../parts/format-time.ts';
import { expectedOf, progressOf } from './timeline/expected.ts';

/** How long builds of the job usually take; of a running build, how much is left. */
export function BuildProgress({ build, history }: { build: BuildAnswer; history: readonly BuildAnswer[] }) {
  const expected = expectedOf(history.filter(({ id }) => id !== build.id));
  if (!expected) return null;
  if (build.status === 'started' && build.start_time !== undefined) {
    return <Running expected={expected} start={build.start_time} />;
  }
  return <>, usually {formatDuration(expected.usual)}</>;
}

function Running({ expected, start }: { expected: NonNullable<ReturnType<typeof expectedOf>>; start: number }) {
  const progress = progressOf(expected, useNow() - start);
  if (progress.kind === 'late') return <>, slower than usual ({formatDuration(expected.usual)})</>;
  return (
    <>
      {progress.kind === 'soon' ? ', done soon ' : `, about ${formatDuration(progress.left)} left `}
      <progress value={progress.share} max={1} aria-label="Progress by earlier builds" />
    </>
  );
}
