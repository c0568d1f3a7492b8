import type {
  BuildPreparationAnswer,
  JobAnswer,
  JobInputAnswer,
  JobSummaryAnswer,
  PipelineAnswer,
  ResourceAnswer,
} from '@seaplane/api/answers';

/** One reason why a job does not run, and where to look. */
export interface Reason {
  readonly text: string;
  readonly resource?: string;
  readonly job?: string;
}

export interface WaitingFacts {
  readonly pipeline: Pick<PipelineAnswer, 'archived' | 'paused' | 'paused_by'>;
  readonly job: Pick<
    JobAnswer,
    'paused' | 'paused_by' | 'has_new_inputs' | 'inputs' | 'next_build' | 'disable_manual_trigger'
  >;
  readonly jobs: readonly Pick<JobSummaryAnswer, 'name' | 'finished_build' | 'next_build' | 'paused'>[];
  readonly resources: readonly Pick<ResourceAnswer, 'name' | 'build' | 'last_checked' | 'pinned_version'>[];
  /** Of the pending build that somebody asks about, if there is one. */
  readonly preparation?: BuildPreparationAnswer | undefined;
}

/** Why no build of the job runs, or why a pending build waits. A job that runs waits for nothing. */
export function reasonsToWait(facts: WaitingFacts): readonly Reason[] {
  const { pipeline, job, preparation } = facts;
  if (!preparation && job.next_build?.status === 'started') return [];
  if (pipeline.archived) return [{ text: 'The pipeline is archived: its jobs do not run.' }];
  return [
    ...(pipeline.paused
      ? [{ text: `The pipeline is paused${by(pipeline.paused_by)}. Its jobs run after somebody unpauses it.` }]
      : []),
    ...(job.paused ? [{ text: `The job is paused${by(job.paused_by)}. It runs after somebody unpauses it.` }] : []),
    ...(preparation ? reasonsOfBuild(facts, preparation) : reasonsOfJob(facts)),
  ];
}

/** A build is there, and waits. */
function reasonsOfBuild(facts: WaitingFacts, preparation: BuildPreparationAnswer): readonly Reason[] {
  const inputs = facts.job.inputs ?? [];
  const missing = Object.entries(preparation.inputs).flatMap(([name, state]): Reason[] => {
    if (state === 'not_blocking') return [];
    const input = inputs.find((each) => each.name === name);
    const why = preparation.missing_input_reasons[name];
    const text = `Input ${name} has no version that the build can get${why ? `: ${why}` : ''}.`;
    return [{ text, ...(input && { resource: input.resource }) }, ...(input ? causesOf(facts, input) : [])];
  });
  const full =
    preparation.max_running_builds === 'blocking'
      ? [
          {
            text: 'As many builds run as the job, or its serial group, allows. The build starts when one of them ends.',
          },
        ]
      : [];
  return [...full, ...missing];
}

/** No build is there: nothing has triggered one. A job that nobody may trigger never has one. */
function reasonsOfJob(facts: WaitingFacts): readonly Reason[] {
  const inputs = facts.job.inputs ?? [];
  const triggering = inputs.filter(({ trigger }) => trigger);
  if (triggering.length > 0) return uniqueReasons(triggering.flatMap((input) => causesOf(facts, input)));
  const waiting = facts.job.has_new_inputs ? ' New versions are there.' : '';
  const text = inputs.length === 0 ? 'The job has no inputs' : 'None of its inputs triggers it';
  const how = facts.job.disable_manual_trigger
    ? ', and the configuration does not allow to trigger it by hand: it never runs.'
    : ': it runs when somebody triggers it.';
  return [{ text: text + how + waiting }];
}

/** Why an input may have no new version. */
function causesOf({ resources, jobs }: WaitingFacts, input: JobInputAnswer): readonly Reason[] {
  const { resource: name, passed = [] } = input;
  const resource = resources.find((each) => each.name === name);
  const ofJobs = passed.flatMap((before): Reason[] => {
    const state = jobs.find((job) => job.name === before);
    const last = state?.finished_build;
    if (state?.next_build?.status === 'started')
      return [{ text: `${before}, which ${name} must pass first, is running.`, job: before }];
    if (!last) return [{ text: `${before}, which ${name} must pass first, has not run yet.`, job: before }];
    if (last.status === 'succeeded') return [];
    return [{ text: `The last build of ${before}, which ${name} must pass first, ${last.status}.`, job: before }];
  });
  if (passed.length > 0) return ofJobs;
  if (resource?.build?.status === 'failed' || resource?.build?.status === 'errored') {
    return [{ text: `The last check of ${name} ${resource.build.status}.`, resource: name }];
  }
  if (resource && resource.last_checked === undefined)
    return [{ text: `${name} was not checked yet.`, resource: name }];
  if (resource?.pinned_version) return [{ text: `${name} is pinned, so no new version of it comes.`, resource: name }];
  return [];
}

function uniqueReasons(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((reason) => [reason.text, reason])).values()];
}

function by(user: string | undefined): string {
  return user ? ` by ${user}` : '';
}
