import * as v from 'valibot';
import { ConfigError } from '../error.ts';
import { parseJson } from '../json-text.ts';
import { describeIssue } from '../malformed.ts';
import type { Json } from '../values.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { ConfigWarning, PipelineConfig } from './pipeline.ts';
import { pipelineSchema } from './pipeline-schema.ts';
import type { UnknownFields } from './step-schema.ts';
import { validatePipeline } from './validate-pipeline.ts';

export type PipelineResult =
  | { readonly ok: true; readonly config: PipelineConfig; readonly warnings: readonly ConfigWarning[] }
  | {
      readonly ok: false;
      /** `malformed`: not a pipeline at all, one message. `invalid`: a message for each section with mistakes. */
      readonly reason: 'malformed' | 'invalid';
      readonly errors: readonly string[];
      readonly warnings: readonly ConfigWarning[];
    };

/** Reads and validates a pipeline as somebody wrote it. */
export function parsePipeline(text: string, options: { readonly format: 'yaml' | 'json' }): PipelineResult {
  let tree: Json;
  try {
    tree = options.format === 'json' ? parseJson(text) : parseYaml(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return malformed(error.code === 'invalid-yaml' ? `error converting YAML to JSON: ${error.message}` : error.message);
  }
  return readPipeline(tree);
}

/** Reads and validates a pipeline that is already JSON: one whose variables were put in, or one that was saved. */
export function readPipeline(tree: Json): PipelineResult {
  const unknownFields: UnknownFields = new Map();
  const result = v.safeParse(pipelineSchema(unknownFields), tree ?? {}, { abortEarly: true });
  if (!result.success) {
    return malformed(`error unmarshaling JSON: while decoding JSON: ${describeIssue(result.issues[0])}`);
  }
  const { errors, warnings } = validatePipeline(result.output, unknownFields);
  if (errors.length > 0) return { ok: false, reason: 'invalid', errors, warnings };
  return { ok: true, config: result.output, warnings };
}

function malformed(message: string): PipelineResult {
  return { ok: false, reason: 'malformed', errors: [`malformed config: ${message}`], warnings: [] };
}
