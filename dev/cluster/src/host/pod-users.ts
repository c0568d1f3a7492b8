import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../layout.ts';

/**
 * The user ids of pods in user namespaces, a block of 65,536 each. By default a kubelet draws from all blocks up to
 * 2^32. The kernel refuses the last of them, whose end does not fit into 32 bits, and a pod that draws it never starts.
 */
export const POD_USERS = { first: 65_536, count: 1024 * 65_536 } as const;

/**
 * The words to put before a kubelet's command, inside of the cluster, so that it draws from this range: the kubelet asks
 * `getsubids`, if there is a user `kubelet`. Whoever adds a user to the machine takes away what is mounted on
 * /etc/passwd, so it is mounted at each start.
 */
export function withPodUsers(layout: Layout): string[] {
  const script = `grep -q ^kubelet: /etc/passwd || mount --bind ${passwdOf(layout)} /etc/passwd
PATH="${binOf(layout)}:$PATH" exec "$@"`;
  return ['sh', '-ec', script, 'kubelet'];
}

/** Writes the files that this needs. Nothing outside of the cluster's own directory changes. */
export async function writePodUsers(layout: Layout): Promise<void> {
  const program = join(binOf(layout), 'getsubids');
  await mkdir(binOf(layout), { recursive: true });
  await writeFile(program, `#!/bin/sh\necho "0: kubelet ${POD_USERS.first} ${POD_USERS.count}"\n`);
  await chmod(program, 0o755);
  const users = (await readFile('/etc/passwd', 'utf8')).trimEnd().split('\n');
  const others = users.filter((line) => !line.startsWith('kubelet:'));
  const kubelet = 'kubelet:x:65534:65534:kubelet:/nonexistent:/usr/sbin/nologin';
  await writeFile(passwdOf(layout), `${[...others, kubelet].join('\n')}\n`);
}

function binOf({ state }: Layout): string {
  return join(state, 'bin');
}

function passwdOf({ state }: Layout): string {
  return join(state, 'passwd');
}
