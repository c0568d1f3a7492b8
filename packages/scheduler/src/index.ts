export { checkPrototype, checkResource, checkResourceType } from './checks/check-builds.ts';
export { countCheckables, dueChecks } from './checks/due-checks.ts';
export type { SchedulerContext } from './context.ts';
export { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
export { StoredPipelines } from './stored-pipelines.ts';
