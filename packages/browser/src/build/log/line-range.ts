/** Lines of a step that an address names, from 1 on: `#L<plan>:<line>` or `#L<plan>:<first>:<last>`, as in Concourse. */
export interface LineRange {
  readonly plan: string;
  readonly first: number;
  readonly last: number;
}

export function parseLineRange(fragment: string): LineRange | undefined {
  const match = /^#?L([^:]+):(\d+)(?::(\d+))?$/.exec(fragment);
  if (!match) return undefined;
  const [, plan = '', from = '', to = from] = match;
  const [first, last] = [Number(from), Number(to)].toSorted((a, b) => a - b) as [number, number];
  return first === 0 ? undefined : { plan, first, last };
}

export function formatLineRange({ plan, first, last }: LineRange): string {
  return first === last ? `#L${plan}:${first}` : `#L${plan}:${first}:${last}`;
}

/** The range after a click on a line. With shift, the range grows to the line, if it is in the same step. */
export function selectLine(before: LineRange | undefined, plan: string, line: number, isShift: boolean): LineRange {
  if (!isShift || before?.plan !== plan) return { plan, first: line, last: line };
  return line < before.first ? { ...before, first: line } : { ...before, last: line };
}
