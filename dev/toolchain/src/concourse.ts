import { downloadGoModule, type GoModule, requireGo } from './go.ts';

/** Concourse 7.14.2, by the name the Go module proxy knows its commit under: its tags from v7 on cannot be required. */
export const CONCOURSE: GoModule = {
  path: 'github.com/concourse/concourse',
  version: 'v1.6.1-0.20251006174654-31f911818906',
};
export const CONCOURSE_VERSION = '7.14.2';

/** The directory of Concourse's sources; its own go.mod and go.sum pin everything built in it. */
export async function concourseSource(): Promise<string> {
  await requireGo();
  return downloadGoModule(CONCOURSE);
}
