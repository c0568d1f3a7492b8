import type { PipelineRef } from '@seaplane/db';
import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';
import { parseInstanceVars } from './instance-vars.ts';

/** The pipeline that a path and its query name. Refuses instance vars that are malformed. */
export function pipelineRef(c: Context): PipelineRef {
  const name = c.req.param('pipeline') ?? '';
  try {
    const instanceVars = parseInstanceVars(new URL(c.req.url).searchParams);
    return instanceVars === undefined ? { name } : { name, instanceVars };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError('bad-request', `instance vars are malformed: ${reason}`, { cause: error });
  }
}
