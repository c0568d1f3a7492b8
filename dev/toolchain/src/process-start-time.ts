import { readFile } from 'node:fs/promises';

/**
 * When a process started, by the kernel's count: with its pid it tells a process from a later one that got the same pid.
 * Undefined when there is no such process, it is dead but not reaped, or the system has no /proc.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}
