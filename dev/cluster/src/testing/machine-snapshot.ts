import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { silent } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { installHostPackages } from '../host/host-packages.ts';
import { SYSCTLS } from '../host/kernel.ts';

/** Records everything that a cluster could leave behind on the machine, each kind as lines that can be compared. */
export async function snapshotMachine(): Promise<Record<string, string>> {
  await installHostPackages(silent);
  const output = async (command: string) => (await run('sh', ['-c', command])).stdout.trim();
  const sysctls = await Promise.all(
    SYSCTLS.map(async (name) => `${name}=${await readFile(`/proc/sys/${name}`, 'utf8')}`),
  );
  const directories = [
    '/run/containerd',
    '/run/netns',
    '/var/lib/cni',
    '/var/lib/kubelet',
    '/var/log/containers',
    '/var/log/pods',
  ];
  return {
    mounts: await output('cut -d" " -f5- /proc/self/mountinfo'),
    devices: await output('ip -o link | cut -d" " -f2'),
    routes: await output('ip route; ip -6 route | grep -v "^fe80"'),
    'network namespaces': await output('ip netns'),
    'packet filter': await output(`(iptables-save; ip6tables-save) | grep -v '^#' | sed 's/ \\[[0-9:]*\\]//'`),
    'IP sets': await output('ipset list -n'),
    cgroups: await output('find /sys/fs/cgroup -type d -name "seaplane*"'),
    'cgroup controllers': await output('cat /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true'),
    sysctls: sysctls.join(''),
    directories: directories.filter((path) => existsSync(path)).join('\n'),
  };
}

/** Lines that are there now and were not before. Lines that went away belonged to something else. */
export function addedSince(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.entries(after).flatMap(([kind, text]) => {
    const known = new Set(before[kind]?.split('\n'));
    return text
      .split('\n')
      .filter((line) => line !== '' && !known.has(line))
      .map((line) => `${kind}: ${line}`);
  });
}

/** The pids of all processes in one of the given namespaces or cgroups. */
export async function processesOf({
  namespaces,
  cgroup,
}: {
  namespaces: readonly string[];
  cgroup: string;
}): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
    const mine = await namespacesOf(pid);
    if (groups.includes(cgroup) || mine.some((id) => namespaces.includes(id))) found.push(pid);
  }
  return found;
}

/** The identities of a process's network, mount and PID namespaces. */
export async function namespacesOf(pid: number): Promise<string[]> {
  const { stdout } = await run(
    'readlink',
    ['net', 'mnt', 'pid'].map((kind) => `/proc/${pid}/ns/${kind}`),
    { ok: 'any' },
  );
  return stdout.trim().split('\n').filter(Boolean);
}
