import {
  compileGlob,
  configToJson,
  type JobConfig,
  JobNames,
  type Json,
  type JsonObject,
  jobInputs,
  jobOutputs,
  type PipelineConfig,
  type StepConfig,
} from '@seaplane/config';
import type { JobToSave, PipelineToSave, ResourceToSave, TypeToSave } from './pipeline-to-save.ts';

/** Splits a validated configuration into the parts that the database has columns for. */
export function configToSave(config: PipelineConfig): PipelineToSave {
  const json = configToJson(config);
  const { groups, display, user_data } = json;
  return {
    config: json,
    jobs: jobsToSave(config),
    resources: pairs(config.resources, json['resources']).map(([resource, own]) => resourceToSave(resource, own)),
    resourceTypes: pairs(config.resource_types, json['resource_types']).map(typeToSave),
    prototypes: pairs(config.prototypes, json['prototypes']).map(typeToSave),
    shown: {
      ...(groups !== undefined && { groups }),
      ...(display !== undefined && { display }),
      ...(user_data !== undefined && { user_data }),
    },
  };
}

/** Each item with its JSON. A section without items is left out of the JSON. */
function pairs<T>(items: readonly T[], section: Json | undefined): [T, JsonObject][] {
  const all = (section ?? []) as readonly JsonObject[];
  return items.map((item, index) => [item, all[index] as JsonObject]);
}

function jobsToSave(config: PipelineConfig): JobToSave[] {
  const names = new JobNames(config);
  const groups = config.groups.map(({ name, jobs = [] }) => ({ name, globs: jobs.map(compileGlob) }));
  const groupsOf = (job: string) =>
    groups.filter(({ globs }) => globs.some((glob) => glob?.test(job))).map(({ name }) => name);
  return config.jobs.map((job) => jobToSave(job, names, groupsOf(job.name)));
}

function jobToSave(job: JobConfig, names: JobNames, groups: string[]): JobToSave {
  const serialGroups = job.serial_groups ?? [];
  const serial = job.serial === true || serialGroups.length > 0;
  const { build_logs_to_retain: builds, build_log_retention: retention = builds ? { builds } : undefined } = job;
  const maxInFlight = serial ? 1 : (job.max_in_flight ?? 0);
  return {
    name: job.name,
    ...(job.old_name !== undefined && { oldName: job.old_name }),
    ...(retention && { logRetention: retention }),
    groups,
    public: job.public ?? false,
    interruptible: job.interruptible ?? false,
    disableManualTrigger: job.disable_manual_trigger ?? false,
    disableReruns: job.disable_reruns ?? false,
    maxInFlight,
    serialGroups: serialGroups.length === 0 && maxInFlight > 0 ? [job.name] : serialGroups,
    inputs: jobInputs(names, job).map(({ name, resource, passed, trigger, version }) => ({
      name,
      resource,
      passed,
      trigger,
      ...(version !== undefined && { version }),
    })),
    outputs: jobOutputs(job),
    tasks: [...job.plan, job.on_success, job.on_failure, job.on_abort, job.on_error, job.ensure].flatMap((step) =>
      step === undefined ? [] : tasksOf(step),
    ),
  };
}

/** Names of the tasks anywhere in a step. */
function tasksOf(step: StepConfig): string[] {
  if (step.kind === 'task') return [step.name];
  if ('steps' in step) return step.steps.flatMap(tasksOf);
  const inner = 'step' in step ? tasksOf(step.step) : [];
  return 'hook' in step ? [...inner, ...tasksOf(step.hook)] : inner;
}

function resourceToSave(resource: PipelineConfig['resources'][number], json: JsonObject): ResourceToSave {
  return {
    name: resource.name,
    ...(resource.old_name !== undefined && { oldName: resource.old_name }),
    type: resource.type,
    config: json,
    public: resource.public ?? false,
    ...(resource.version !== undefined && { pin: resource.version }),
  };
}

function typeToSave([type, json]: [{ readonly name: string; readonly type: string }, JsonObject]): TypeToSave {
  return { name: type.name, type: type.type, config: json };
}
