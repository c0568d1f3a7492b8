export { ConfigError, type ConfigErrorCode } from './error.ts';
export { compileGlob } from './pipeline/glob.ts';
export { jobInputs, jobOutputs } from './pipeline/job-inputs.ts';
export { type PipelineResult, parsePipeline, readPipeline, readSavedPipeline } from './pipeline/parse-pipeline.ts';
export type * from './pipeline/pipeline.ts';
export { configToJson } from './pipeline/pipeline-json.ts';
export { buildJobPlan, type JobPlanRequest } from './plan/build-job-plan.ts';
export {
  buildPrototypeCheckPlan,
  buildResourceCheckPlan,
  buildResourceTypeCheckPlan,
  type CheckPlanOptions,
} from './plan/check-plan.ts';
export { buildImagePlan, type ImagePlan } from './plan/image-plan.ts';
export { parsePlan } from './plan/parse-plan.ts';
export type * from './plan/plan.ts';
export { publicPlan } from './plan/public-plan.ts';
export { type BaseTypeDefaults, sourceWithDefaults, typesWithDefaults } from './plan/source-defaults.ts';
export type * from './step/step.ts';
export { parseTaskConfig, readTaskConfig, type TaskConfigResult } from './task/parse-task-config.ts';
export type * from './task/task-config.ts';
export { canonicalDuration, isDuration, parseDuration } from './text/duration.ts';
export { isRawNumber } from './text/exact-number.ts';
export { goJsonText, parseJson } from './text/json-text.ts';
export { checkIdentifier, type IdentifierProblem } from './validate/identifier.ts';
export type * from './values.ts';
export { interpolate, variableNames } from './vars/interpolate.ts';
export { firstOf, followFields, type Lookup, namedLookups, staticLookup } from './vars/lookup.ts';
export { orderVarSources } from './vars/order-var-sources.ts';
export { formatReference, parseReference, type VarReference } from './vars/reference.ts';
export { checkVarSourceConfig } from './vars/var-source-config.ts';
export { parseYaml } from './yaml/parse-yaml.ts';
