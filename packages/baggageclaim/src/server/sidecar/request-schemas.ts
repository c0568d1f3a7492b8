import * as v from 'valibot';
import type { HijackInput, HijackRequest } from '../../protocol/hijack.ts';
import type { RunInput, RunRequest, SignalRequest } from '../../protocol/messages.ts';
import { artifactSource, windowSize } from '../http/schemas.ts';

const strings = v.array(v.string());

const runInput = v.object({
  path: v.string(),
  from: artifactSource,
  mayShow: v.optional(v.boolean()),
}) satisfies v.GenericSchema<unknown, RunInput>;

export const runRequest = v.object({
  id: v.string(),
  attempt: v.string(),
  path: v.string(),
  args: strings,
  env: v.record(v.string(), v.string()),
  dir: v.string(),
  user: v.string(),
  tty: v.nullable(windowSize),
  stdin: v.string(),
  inputs: v.array(runInput),
  directories: strings,
}) satisfies v.GenericSchema<unknown, RunRequest>;

export const signalRequest = v.object({
  id: v.string(),
  signal: v.picklist(['stop', 'kill']),
}) satisfies v.GenericSchema<unknown, SignalRequest>;

const hijackRequest = v.object({
  path: v.string(),
  args: v.nullish(strings, []),
  env: v.nullish(strings, []),
  dir: v.nullish(v.string(), ''),
  user: v.nullish(v.string(), ''),
  tty: v.nullish(windowSize, null),
}) satisfies v.GenericSchema<unknown, HijackRequest>;

const hijackInput = v.union([
  v.object({ stdin: v.string() }),
  v.object({ closed: v.literal(true) }),
  v.object({ tty: v.object({ window_size: windowSize }) }),
]) satisfies v.GenericSchema<unknown, HijackInput>;

/** The first message of a hijacking client; undefined when it is something else. */
export function parseHijackRequest(text: string): HijackRequest | undefined {
  return parse(hijackRequest, text);
}

/** Every later message; undefined when it is something else. */
export function parseHijackInput(text: string): HijackInput | undefined {
  return parse(hijackInput, text);
}

function parse<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
