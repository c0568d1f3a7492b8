export { assertNever } from './assert-never.ts';
export { findExcess } from './bounded-tree.ts';
export { DOCUMENT_LIMITS } from './document-limits.ts';
export { ConfigError } from './error.ts';
export { credentialUses } from './pipeline/credential-uses.ts';
export { describeChanges } from './pipeline/describe-changes.ts';
export { compileGlob } from './pipeline/glob.ts';
export { JobNames, jobInputs, jobOutputs } from './pipeline/job-inputs.ts';
export type * from './pipeline/pipeline.ts';
export { configToJson } from './pipeline/pipeline-json.ts';
export { type PipelineResult, readPipeline, readSavedPipeline, refusePipeline } from './pipeline/read-pipeline.ts';
export { buildJobPlan } from './plan/build-job-plan.ts';
export {
  buildPrototypeCheckPlan,
  buildResourceCheckPlan,
  buildResourceTypeCheckPlan,
  type CheckIntervals,
  type CheckPlanOptions,
  DEFAULT_CHECK_INTERVAL,
} from './plan/check-plan.ts';
export { buildImagePlan } from './plan/image-plan.ts';
export { parsePlan } from './plan/parse-plan.ts';
export type * from './plan/plan.ts';
export { type PublicPlan, publicPlan } from './plan/public-plan.ts';
export type { BaseTypeDefaults } from './plan/source-defaults.ts';
export type * from './step/step.ts';
export { parseMemory } from './task/container-limits.ts';
export { readTaskConfig } from './task/read-task-config.ts';
export type * from './task/task-config.ts';
export { canonicalDuration, parseDuration } from './text/duration.ts';
export { isRawNumber } from './text/exact-number.ts';
export { goJsonText } from './text/json-text.ts';
export { parseJson } from './text/parse-json.ts';
export { checkIdentifier, type IdentifierProblem } from './validate/identifier.ts';
export type * from './values.ts';
export { formatInstanceVars } from './vars/instance-vars.ts';
export { instanceVarsQuery } from './vars/instance-vars-query.ts';
export { interpolate } from './vars/interpolate.ts';
export { firstOf, followFields, type Lookup, namedLookups, staticLookup } from './vars/lookup.ts';
export { orderVarSources } from './vars/order-var-sources.ts';
export { formatReference, parseReference, type VarReference } from './vars/reference.ts';
export { checkVarSourceConfig, type VarSourceType } from './vars/var-source-config.ts';
export { decodeYaml, parseYaml, type YamlOptions, type YamlParser } from './yaml/parse-yaml.ts';
