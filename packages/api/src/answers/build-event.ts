import type { BuildEvent } from '@seaplane/engine/events';

/**
 * The data of one server-sent event of a build (docs/concourse/fly-api.md, section 5), for every kind of event: `event`
 * names the kind, `data` has its fields. The server-sent event is named `event`; one named `end` follows the last.
 */
export type BuildEventAnswer = BuildEvent & {
  /** The version of the fields of `data`. A new major version means that fields have changed their meaning. */
  readonly version: string;
  /** The number of the event in its build, from `0`. `Last-Event-ID` resumes after it. */
  readonly event_id: string;
};

/** The first events of a build, as many as a page needs for its first lines. */
export interface FirstEventsAnswer {
  readonly events: readonly BuildEventAnswer[];
  /** Whether these are all events that the build will ever have. */
  readonly ended: boolean;
}
