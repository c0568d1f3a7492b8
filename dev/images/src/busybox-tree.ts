import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { GROUP, PASSWD } from './accounts.ts';
import { type Entry, layTree } from './tree.ts';

/** A small system around one static busybox: all its applets, accounts, the usual directories. */
export async function layBusyboxSystem(root: string, busybox: string): Promise<void> {
  const { stdout } = await run(busybox, ['--list']);
  const applets = stdout.split('\n').filter((name) => name !== '' && name !== 'busybox');
  await layTree(root, {
    'bin/busybox': { copyOf: busybox },
    ...Object.fromEntries(applets.map((name): [string, Entry] => [join('bin', name), { link: 'busybox' }])),
    sbin: { link: 'bin' },
    'usr/bin': { link: '../bin' }, // for `#!/usr/bin/env`
    'usr/sbin': { link: '../bin' },
    'etc/passwd': { text: PASSWD },
    'etc/group': { text: GROUP },
    root: { dir: true, mode: 0o700 },
    'home/nonroot': { dir: true },
    'var/tmp': { dir: true, mode: 0o1777 },
    run: { dir: true },
    tmp: { dir: true, mode: 0o1777 },
    dev: { dir: true },
    proc: { dir: true, mode: 0o555 },
    sys: { dir: true, mode: 0o555 },
  });
}
