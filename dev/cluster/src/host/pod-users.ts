import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../layout.ts';

/**
 * The user ids of pods in user namespaces, a block of 65,536 each. By default a kubelet draws from all blocks up to
 * 2^32. The kernel refuses the last of them, whose end does not fit into 32 bits, and a pod that draws it never starts.
 */
export const POD_USERS = { first: 65_536, count: 1024 * 65_536 } as const;

/** Has the `getsubids` that the kubelet asks for its range. It goes first on the kubelet's PATH. */
export function podUsersBin({ state }: Layout): string {
  return join(state, 'bin');
}

/** Seen as /etc/passwd inside of the cluster: the kubelet asks only if the user `kubelet` exists. */
export function podUsersPasswd({ state }: Layout): string {
  return join(state, 'passwd');
}

/** Writes both files. Nothing outside of the cluster's own directory changes. */
export async function writePodUsers(layout: Layout): Promise<void> {
  const program = join(podUsersBin(layout), 'getsubids');
  await mkdir(podUsersBin(layout), { recursive: true });
  await writeFile(program, `#!/bin/sh\necho "0: kubelet ${POD_USERS.first} ${POD_USERS.count}"\n`);
  await chmod(program, 0o755);
  const users = (await readFile('/etc/passwd', 'utf8')).trimEnd().split('\n');
  const others = users.filter((line) => !line.startsWith('kubelet:'));
  const kubelet = 'kubelet:x:65534:65534:kubelet:/nonexistent:/usr/sbin/nologin';
  await writeFile(podUsersPasswd(layout), `${[...others, kubelet].join('\n')}\n`);
}
