import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * The memory of all processes whose program is below a directory. Pages that several share are counted once in all, which
 * is what the kernel calls the proportional set size.
 */
export async function memoryOf(directory: string): Promise<{ readonly bytes: number; readonly processes: number }> {
  let [bytes, processes] = [0, 0];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
    if (!program.startsWith(`${directory}/`)) continue;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
    processes += 1;
  }
  return { bytes, processes };
}
