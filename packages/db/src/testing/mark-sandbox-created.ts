import type { Queryable } from '../queryable.ts';

/** Records that a process may run in the sandbox, without the pen that a web needs for that. */
export async function markSandboxCreated(db: Queryable, handle: string, user: string): Promise<void> {
  await db.query("UPDATE sandbox SET state = 'created', username = $2 WHERE handle = $1", [handle, user]);
}
