export { type CheckRequest, checkResource, checkResourceType } from './check-builds.ts';
export type { PlannedBuild, SchedulerContext } from './context.ts';
export { dueResources, millisecondsToNextCheck } from './due-checks.ts';
export { planJobBuild } from './plan-build.ts';
export { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
export { storedPipeline } from './stored-pipeline.ts';
