/** A part of a run, by the clock that samples have, in seconds. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Seconds of processor time by program, for each name of a span. Spans of one name add up. */
export type ProgramTimes = ReadonlyMap<string, ReadonlyMap<string, number>>;

const FORK = /PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)/;
const NAMED = /PERF_RECORD_COMM(?: exec)?: (.*):(\d+)\/(\d+)$/;
const SAMPLE = /^\s*(.*?)\s+(\d+)\/\d+\s+(?:\[\d+\]\s+)?([\d.]+):/;
/** The parent of the kernel's threads. */
const KTHREADD = 2;
const KERNEL = 'kernel threads';

/**
 * Counts samples of `perf script --show-task-events -F comm,pid,tid,time` by program. A process counts if it or a parent of it is one of `roots`, also if it has
 * ended. Threads of the kernel count as one program. Everything else was other work of the machine.
 */
export function programTimes(
  lines: Iterable<string>,
  spans: readonly Span[],
  roots: ReadonlySet<number>,
  samplesPerSecond: number,
): ProgramTimes {
  const parents = new Map<number, number>();
  const programs = new Map<number, string>();
  const times = new Map<string, Map<string, number>>();
  const isOurs = (pid: number): boolean => {
    const seen = new Set<number>();
    for (let at: number | undefined = pid; at !== undefined && !seen.has(at); at = parents.get(at)) {
      if (roots.has(at)) return true;
      seen.add(at);
    }
    return false;
  };
  for (const line of lines) {
    const [, child, parent] = FORK.exec(line) ?? [];
    if (child !== undefined) {
      if (child === parent) continue; // a thread
      parents.set(Number(child), Number(parent));
      programs.set(Number(child), programs.get(Number(parent)) ?? '');
      continue;
    }
    const [, name, pid, thread] = NAMED.exec(line) ?? [];
    if (name !== undefined) {
      if (pid === thread) programs.set(Number(pid), name);
      continue;
    }
    if (line.includes('PERF_RECORD_')) continue; // such as the end of a process
    const [, shown = '', owner, time] = SAMPLE.exec(line) ?? [];
    const span = spans.find(({ from, to }) => from <= Number(time) && Number(time) <= to);
    if (!span || owner === undefined || Number(owner) === 0) continue;
    const isKernel = parents.get(Number(owner)) === KTHREADD;
    if (!isKernel && !isOurs(Number(owner))) continue;
    const program = isKernel ? KERNEL : (programs.get(Number(owner)) ?? shown);
    const counted = times.get(span.name) ?? new Map<string, number>();
    times.set(span.name, counted.set(program, (counted.get(program) ?? 0) + 1 / samplesPerSecond));
  }
  return times;
}
