import type { Context } from 'hono';
import * as v from 'valibot';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';

/** The body of a request as JSON of a shape. Throws `bad-request`, with the first field that is wrong and why. */
export async function readBody<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  const json: unknown = await c.req.json().catch((cause: Error) => {
    throw new BaggageclaimError('bad-request', 'the body is not JSON', { cause });
  });
  const result = v.safeParse(schema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  throw new BaggageclaimError('bad-request', `the body is malformed: ${path ? `${path}: ` : ''}${issue.message}`);
}
