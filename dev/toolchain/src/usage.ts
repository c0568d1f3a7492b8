import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command line cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Node's parseArgs, which refuses unknown options and options without their value; throws {@link UsageError}. */
export function parseStrictly<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** Refuses surplus operands. An operand that is ignored was meant to do something. */
export function refuseSurplus(operands: readonly string[], count: number, hint = ''): void {
  const surplus = operands[count];
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'${hint}`);
}

/** The whole number that an option's text is; throws {@link UsageError}. */
export function parseWholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} is a whole number from ${least} to ${most}, not '${text}'`);
}
