export { type CheckRequest, checkResource, checkResourceType } from './check-builds.ts';
export type { SchedulerContext } from './context.ts';
export { type DueChecks, dueChecks } from './due-checks.ts';
export { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
export { SchedulerError, type SchedulerErrorCode } from './scheduler-error.ts';
export { storedPipeline } from './stored-pipeline.ts';
