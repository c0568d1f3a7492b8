import { parseJson } from '@seaplane/config';
import type { Context } from 'hono';
import * as v from 'valibot';
import { ApiError } from '../api-error.ts';
import { readText } from './read-text.ts';

/** Reads the body of a request as JSON that fits the schema. Large integers keep their digits. */
export async function readJson<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  return parseBody(await readText(c), schema);
}

/** The same for a route whose body may be left out: that means `{}`. */
export async function readOptionalJson<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  return parseBody((await readText(c)) || '{}', schema);
}

function parseBody<S extends v.GenericSchema>(text: string, schema: S): v.InferOutput<S> {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    throw new ApiError('bad-request', `the body is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const result = v.safeParse(schema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  throw new ApiError('bad-request', `the body is not understood: ${path ? `${path}: ` : ''}${issue.message}`);
}
