export { checkResource, checkResourceType } from './check-builds.ts';
export type { SchedulerContext } from './context.ts';
export { dueChecks } from './due-checks.ts';
export { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
export { storedPipeline } from './stored-pipeline.ts';
