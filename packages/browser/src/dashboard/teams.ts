import type { JobSummaryAnswer, PipelineAnswer, ResourceAnswer, UserAnswer } from '@seaplane/api/answers';
import { groupInstances } from './group-instances.ts';
import { type PipelineView, viewPipeline } from './pipeline-status.ts';

export interface Lists {
  readonly pipelines: readonly PipelineAnswer[];
  readonly jobs: readonly JobSummaryAnswer[];
  readonly resources: readonly ResourceAnswer[];
}

/** Every pipeline with what the dashboard shows of it, in the order of the list. */
export function viewPipelines({ pipelines, jobs, resources }: Lists): readonly PipelineView[] {
  const jobsOf = Map.groupBy(jobs, ({ pipeline_id: id }) => id);
  const failing = resources.filter(({ build }) => build?.status === 'failed' || build?.status === 'errored');
  const failingOf = Map.groupBy(failing, ({ pipeline_id: id }) => id);
  return pipelines.map((pipeline) =>
    viewPipeline(
      pipeline,
      jobsOf.get(pipeline.id) ?? [],
      (failingOf.get(pipeline.id) ?? []).map(({ name }) => name),
    ),
  );
}

/** A card: one pipeline, or all instances of one name. */
export type Card =
  | { readonly kind: 'pipeline'; readonly view: PipelineView }
  | { readonly kind: 'group'; readonly name: string; readonly team: string; readonly views: readonly PipelineView[] };

/** The cards of a team. Instances of one name share a card where their first one stands, unless `apart`. */
export function cardsOf(views: readonly PipelineView[], apart: boolean): readonly Card[] {
  if (apart) return views.map((view) => ({ kind: 'pipeline', view }));
  return groupInstances(views, ({ pipeline }) => pipeline).map((entry) =>
    entry.kind === 'single'
      ? { kind: 'pipeline', view: entry.item }
      : { kind: 'group', name: entry.name, team: entry.team, views: entry.items },
  );
}

export interface TeamView {
  readonly name: string;
  readonly memberRole: string | undefined;
  readonly views: readonly PipelineView[];
}

const ROLE_ORDER = ['owner', 'member', 'pipeline-operator', 'viewer'];

/** Teams with something to show: the user's own first, those with the greatest role before others. */
export function teamsOf(views: readonly PipelineView[], user: UserAnswer | null): readonly TeamView[] {
  const byTeam = Map.groupBy(views, ({ pipeline }) => pipeline.team_name);
  return [...byTeam]
    .map(([name, own]) => ({ name, memberRole: user?.teams[name]?.[0], views: own }))
    .toSorted((a, b) => rank(a.memberRole) - rank(b.memberRole) || (a.name < b.name ? -1 : 1));
}

function rank(role: string | undefined): number {
  const at = ROLE_ORDER.indexOf(role ?? '');
  return at < 0 ? ROLE_ORDER.length : at;
}
