import { type PipelineResult, readPipeline, refusePipeline } from '../pipeline/read-pipeline.ts';
import { parseJson } from '../text/parse-json.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';

/** Reads a pipeline from its text, as the API does. */
export function parsePipeline(text: string, { format }: { readonly format: 'yaml' | 'json' }): PipelineResult {
  try {
    return readPipeline(format === 'json' ? parseJson(text) : parseYaml(text));
  } catch (error) {
    return refusePipeline(error);
  }
}
