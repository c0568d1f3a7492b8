import { readdir, readFile } from 'node:fs/promises';

/** A process of a pod, as the machine sees it. */
export interface PodProcess {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}

/** The processes whose cgroup is that of the pod. */
export async function processesOfPod(uid: string): Promise<PodProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [cgroup, command, stat] = await Promise.all(
        ['cgroup', 'cmdline', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      if (!cgroup?.includes(`pod${uid}`) || !command) return [];
      const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return [{ pid: Number(pid), parent, program: command.split('\0')[0] ?? '' }];
    }),
  );
  return found.flat();
}

/** The sidecar, the supervisor (the first of its container), or the shim that holds the pod's containers. */
export function findProcess(
  processes: readonly PodProcess[],
  which: 'sidecar' | 'supervisor' | 'shim',
): number | undefined {
  const named = (name: string) => processes.filter(({ program }) => program.endsWith(`/${name}`));
  const first = named('supervisor').find(({ parent }) => !processes.some(({ pid }) => pid === parent));
  switch (which) {
    case 'sidecar':
      return named('baggageclaim')[0]?.pid;
    case 'supervisor':
      return first?.pid;
    case 'shim':
      return (first ?? named('baggageclaim')[0])?.parent;
  }
}
