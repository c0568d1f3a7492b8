import * as v from 'valibot';
import { findExcess } from '../bounded-tree.ts';
import { ConfigError } from '../error.ts';
import { describeIssue } from '../malformed.ts';
import type { UnknownFields } from '../step/core-steps.ts';
import { validatePipeline } from '../validate/validate-pipeline.ts';
import type { Json } from '../values.ts';
import type { ConfigWarning, PipelineConfig } from './pipeline.ts';
import { pipelineSchema } from './pipeline-schema.ts';

export type PipelineResult =
  | { readonly ok: true; readonly config: PipelineConfig; readonly warnings: readonly ConfigWarning[] }
  | {
      readonly ok: false;
      /**
       * `malformed`: the text does not have the shape of a pipeline; one message. `invalid`: a message for each section
       * with mistakes.
       */
      readonly reason: 'malformed' | 'invalid';
      readonly errors: readonly string[];
      readonly warnings: readonly ConfigWarning[];
    };

/**
 * The result for a text that could not be parsed, from the error of the parser. Throws the error if it is not about the
 * text.
 */
export function refusePipeline(error: unknown): PipelineResult {
  if (!(error instanceof ConfigError)) throw error;
  return malformed(error.code === 'invalid-yaml' ? `error converting YAML to JSON: ${error.message}` : error.message);
}

/** Reads and validates a pipeline that is parsed already. Its variables may have been replaced. */
export function readPipeline(tree: Json): PipelineResult {
  const unbounded = findExcess(tree);
  if (unbounded) return malformed(unbounded);
  const unknownFields: UnknownFields = new Map();
  const shaped = shape(tree, unknownFields);
  if (typeof shaped === 'string') return malformed(shaped);
  const { errors, warnings } = validatePipeline(shaped, unknownFields);
  if (errors.length > 0) return { ok: false, reason: 'invalid', errors, warnings };
  return { ok: true, config: shaped, warnings };
}

/**
 * Reads the output of `configToJson`. The pipeline was valid when it was saved and is not validated again, so that a
 * rule added later cannot stop it. Throws a ConfigError when the JSON does not have the shape of a pipeline.
 */
export function readSavedPipeline(tree: Json): PipelineConfig {
  const shaped = shape(tree, new Map());
  if (typeof shaped === 'string') throw new ConfigError('invalid-json', `the saved pipeline cannot be read: ${shaped}`);
  return shaped;
}

/** The pipeline, or a message about its wrong shape. */
function shape(tree: Json, unknownFields: UnknownFields): PipelineConfig | string {
  const result = v.safeParse(pipelineSchema(unknownFields), tree ?? {}, { abortEarly: true });
  if (result.success) return result.output;
  return `error unmarshaling JSON: while decoding JSON: ${describeIssue(result.issues[0])}`;
}

function malformed(message: string): PipelineResult {
  return { ok: false, reason: 'malformed', errors: [`malformed config: ${message}`], warnings: [] };
}
