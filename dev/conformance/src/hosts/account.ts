import { randomBytes } from 'node:crypto';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

/** An ordinary user of this machine, made for one run. */
export interface Account extends AsyncDisposable {
  readonly uid: number;
  readonly gid: number;
}

/** Far above the ids that machines give to people and containers. */
const FIRST_SUBORDINATE_ID = 2_100_000_000;
const SUBORDINATE_IDS = 65_536;

/** Makes a user, with ids for sandboxes (`/etc/subuid` and `newuidmap`) or without. Disposing removes it. */
export async function makeAccount(ids: 'many' | 'one', progress: Progress): Promise<Account> {
  const name = `conformance-${randomBytes(3).toString('hex')}`;
  const none = ['-K', 'SUB_UID_COUNT=0', '-K', 'SUB_GID_COUNT=0'];
  if (ids === 'many') await ensureDebianPackages(['uidmap'], progress);
  await run('useradd', ['--no-create-home', '--shell', '/bin/sh', ...none, name]);
  const remove = async () => void (await run('userdel', [name]));
  try {
    if (ids === 'many') {
      const range = `${FIRST_SUBORDINATE_ID}-${FIRST_SUBORDINATE_ID + SUBORDINATE_IDS - 1}`;
      await run('usermod', ['--add-subuids', range, '--add-subgids', range, name]);
    }
    const number = async (flag: string) => Number((await run('id', [flag, name])).stdout);
    return { uid: await number('-u'), gid: await number('-g'), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
