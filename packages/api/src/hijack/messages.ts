import type { HijackInput, HijackRequest, WindowSize } from '@seaplane/baggageclaim';
import * as v from 'valibot';

const side = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
const tty = v.object({ window_size: v.object({ columns: side, rows: side }) });
const texts = v.nullish(v.array(v.string()));

/** The first message of a client: the process to start. */
const processSpec = v.object({
  path: v.pipe(v.string(), v.nonEmpty()),
  args: texts,
  env: texts,
  dir: v.optional(v.string(), ''),
  user: v.optional(v.string(), ''),
  tty: v.nullish(tty),
});

/** Every later message. fly leaves out empty fields, so a message may hold nothing. */
const input = v.object({
  stdin: v.optional(v.pipe(v.string(), v.base64())),
  closed: v.optional(v.boolean()),
  tty: v.optional(tty),
});

/** Undefined if the text is not a process spec. */
export function readProcessSpec(text: string): HijackRequest | undefined {
  const spec = read(processSpec, text);
  if (!spec) return undefined;
  const { path, args, env, dir, user } = spec;
  return { path, args: args ?? [], env: env ?? [], dir, user, tty: spec.tty ? sizeOf(spec.tty.window_size) : null };
}

/** A terminal may have no size, for example one that a program opened for fly. */
function sizeOf({ columns, rows }: WindowSize): WindowSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/** Undefined if the text is not a message of a client. */
export function readInput(text: string): HijackInput | 'nothing' | undefined {
  const message = read(input, text);
  if (!message) return undefined;
  if (message.closed) return { closed: true };
  if (message.tty) return { tty: message.tty };
  return message.stdin ? { stdin: message.stdin } : 'nothing';
}

function read<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
