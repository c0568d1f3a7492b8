import {
  buildJobPlan,
  buildResourceCheckPlan,
  type GetPlan,
  type JobConfig,
  JobNames,
  jobInputs,
  type PipelineConfig,
  type Plan,
  type Version,
} from '@seaplane/config';
import { mapPlans } from '@seaplane/engine';

export interface RunPlanRequest {
  readonly pipeline: PipelineConfig;
  readonly job: JobConfig;
  /** Numbers of uploads, by the name of the input that each one replaces. */
  readonly uploads: ReadonlyMap<string, number>;
  /** Names of artifacts to publish at the end, however the job ends. */
  readonly outputs: readonly string[];
  readonly put: boolean;
}

export interface RunPlan {
  readonly plan: Plan;
  /** Steps that the plan leaves out, such as `put release`. */
  readonly skipped: readonly string[];
}

/** Ids of the steps that publish outputs begin with it. */
export const OUTPUT_PREFIX = 'output/';
/** Stands for a version that the build finds out itself. A version that a resource has is not empty. */
const UNKNOWN: Version = {};

/**
 * The plan of a job's build that needs no scheduler: each get takes an upload, or checks its resource and takes the newest
 * version. Everything runs on one machine, so tags are left out. Pure.
 */
export function planRun(request: RunPlanRequest): RunPlan {
  const { pipeline, job, outputs } = request;
  const versions = Object.fromEntries(
    jobInputs(new JobNames(pipeline), job).map(({ name, resource, version }) => {
      const pin = pipeline.resources.find((each) => each.name === resource)?.version;
      return [name, typeof version === 'object' ? version : (pin ?? UNKNOWN)];
    }),
  );
  const skipped: string[] = [];
  const planned = buildJobPlan({ pipeline, job, inputs: versions, manuallyTriggered: true });
  const changed = mapPlans(planned, (plan) => change(request, plan, skipped));
  if (outputs.length === 0) return { plan: changed, skipped };
  const publish = outputs.map((name, index): Plan => {
    const id = `${OUTPUT_PREFIX}${index}`;
    return { id: `try-${id}`, try: { step: { id, artifact_output: { name } } } };
  });
  const plan: Plan = { id: 'run', ensure: { step: changed, ensure: { id: 'outputs', do: publish } } };
  return { plan, skipped };
}

function change(request: RunPlanRequest, plan: Plan, skipped: string[]): Plan {
  if ('across' in plan) {
    const template = JSON.parse(plan.across.substep_template) as Plan;
    const inner = mapPlans(template, (each) => change(request, each, skipped));
    return { ...plan, across: { ...plan.across, substep_template: JSON.stringify(inner) } };
  }
  if ('set_pipeline' in plan) return skip(plan, `set_pipeline ${plan.set_pipeline.name}`, skipped);
  const put = putOf(plan);
  if (put !== undefined && !request.put) return upload(request, plan, put) ?? skip(plan, `put ${put}`, skipped);
  // The get after a put, and that of an image, have their version from a step before it.
  if ('get' in plan && plan.get.resource !== undefined && plan.get.version !== undefined) {
    const replaced = upload(request, plan, plan.get.name ?? '');
    if (replaced) return replaced;
    if (Object.keys(plan.get.version).length === 0) return fetchNewest(request, plan);
  }
  return withoutTags(plan);
}

/** The name of a put, alone or with the get that follows it. */
function putOf(plan: Plan): string | undefined {
  if ('put' in plan) return plan.put.name;
  if (!('on_success' in plan)) return undefined;
  const { step, on_success: hook } = plan.on_success;
  return 'put' in step && 'get' in hook && hook.get.version_from === step.id ? step.put.name : undefined;
}

function skip({ id }: Plan, what: string, skipped: string[]): Plan {
  skipped.push(what);
  return { id, do: [] };
}

function upload({ uploads }: RunPlanRequest, { id }: Plan, name: string): Plan | undefined {
  const number = uploads.get(name);
  return number === undefined ? undefined : { id, artifact_input: { artifact_id: number, name } };
}

/** A check of the resource, and a get of the version that it finds. */
function fetchNewest({ pipeline }: RunPlanRequest, plan: Plan & { readonly get: GetPlan }): Plan {
  const { id, attempts, get } = plan;
  const resource = pipeline.resources.find(({ name }) => name === get.resource);
  if (!resource) throw new Error(`the plan has a get of ${get.resource}, which the pipeline does not have`);
  const options = { resourceTypes: pipeline.resource_types, skipInterval: true, skipTypeIntervals: true };
  const check = renumber(buildResourceCheckPlan(resource, options), `${id}/check`);
  const { version: _, ...rest } = get;
  const head = attempts ? { attempts } : {};
  return {
    id: `${id}/newest`,
    ...head,
    do: [
      { ...check, ...head },
      { id, ...head, get: { ...rest, version_from: check.id } },
    ],
  };
}

/** Replaces the plan's id, with which the ids of all plans in it begin. */
function renumber(plan: Plan, id: string): Plan {
  const renamed = (old: string) => id + old.slice(plan.id.length);
  return mapPlans(plan, (each) => {
    if (!('get' in each) || each.get.version_from === undefined) return { ...each, id: renamed(each.id) };
    return { ...each, id: renamed(each.id), get: { ...each.get, version_from: renamed(each.get.version_from) } };
  });
}

function withoutTags(plan: Plan): Plan {
  if ('get' in plan) return { ...plan, get: untagged(plan.get) };
  if ('put' in plan) return { ...plan, put: untagged(plan.put) };
  if ('check' in plan) return { ...plan, check: untagged(plan.check) };
  if ('run' in plan) return { ...plan, run: untagged(plan.run) };
  if (!('task' in plan)) return plan;
  const { resource_types: types, ...task } = untagged(plan.task);
  return { ...plan, task: { ...task, ...(types ? { resource_types: types.map(untagged) } : {}) } };
}

function untagged<T extends { readonly tags?: readonly string[] }>({ tags: _, ...rest }: T): Omit<T, 'tags'> {
  return rest;
}
