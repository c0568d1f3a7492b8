import type { JobAnswer } from '@seaplane/api/answers';

/** Why builds of a job cannot be started by hand, and why its builds cannot be rerun. Undefined: they can. */
export interface StartReasons {
  readonly trigger: string | undefined;
  readonly rerun: string | undefined;
}

/** `reason` is why the user may not start builds at all. `job` is undefined if it is gone. */
export function startReasons(job: JobAnswer | undefined, reason: string | undefined): StartReasons {
  return {
    trigger: job?.disable_manual_trigger ? 'The configuration does not allow to trigger this job by hand' : reason,
    rerun: job?.disable_reruns ? 'The configuration does not allow to rerun builds of this job' : reason,
  };
}
