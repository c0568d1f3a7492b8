import type { BuildStatus } from '@seaplane/engine/events';

const COLOURS: Readonly<Record<BuildStatus, string>> = {
  succeeded: 'rgb(28, 189, 99)',
  failed: 'rgb(219, 84, 66)',
  errored: 'rgb(222, 149, 29)',
  aborted: 'rgb(110, 69, 0)',
  started: 'rgb(250, 212, 59)',
  pending: 'rgb(164, 164, 164)',
};

/** Concourse's own browser tests read the status of a build from its colour in the style. Nothing is painted with it. */
export function concourseColour(status: BuildStatus): Record<string, string> {
  return { '--concourse-colour': COLOURS[status] };
}
