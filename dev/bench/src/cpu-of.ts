import { readdir, readFile, readlink } from 'node:fs/promises';

/** A program's name, and the seconds of processor time that it has used. */
export type CpuTimes = ReadonlyMap<string, number>;

const TICKS_PER_SECOND = 100;
/** Time of processes that have ended counts for whoever waited for them: mostly container runtimes and what they started. */
const REAPED = 'ended processes';

/**
 * The processor time of all processes that a choice is true for, by the name of their program. Processes that ended are in it
 * if their parent is, so differences between two calls miss nothing.
 */
export async function cpuOf(isChosen: (pid: number) => Promise<boolean>): Promise<CpuTimes> {
  const times = new Map<string, number>();
  const add = (name: string, ticks: number) => times.set(name, (times.get(name) ?? 0) + ticks / TICKS_PER_SECOND);
  for (const pid of await pidsOf(isChosen)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) continue;
    const [, program = ''] = /\((.*)\)/s.exec(stat) ?? [];
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11, 15);
    add(program, user + system);
    add(REAPED, reapedUser + reapedSystem);
  }
  return times;
}

/** The processes that a choice is true for. */
export async function pidsOf(isChosen: (pid: number) => Promise<boolean>): Promise<number[]> {
  const chosen: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number))
    if (await isChosen(pid)) chosen.push(pid);
  return chosen;
}

/** Whether a process is in the same PID namespace as another. Containers have their own; they count when they have ended. */
export async function inNamespaceOf(init: number): Promise<(pid: number) => Promise<boolean>> {
  const own = await readlink(`/proc/${init}/ns/pid`);
  return async (pid) => (await readlink(`/proc/${pid}/ns/pid`).catch(() => '')) === own;
}

export function cpuSince(before: CpuTimes, after: CpuTimes): CpuTimes {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
}
