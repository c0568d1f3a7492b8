import { markSandboxCreated, recordSandbox, type SandboxType } from '@seaplane/db/testing';
import type { TestApi } from './test-api.ts';

export interface TestSandbox {
  readonly handle: string;
  readonly team?: string;
  readonly type?: SandboxType;
  readonly step?: string;
  readonly attempt?: string;
  /** The build that owns the sandbox. Left out: checks share it. */
  readonly buildId?: number;
}

/** Records a running sandbox. */
export async function makeSandbox(api: TestApi, sandbox: TestSandbox): Promise<void> {
  const { handle, team = 'team', type = 'task', step = 'step', attempt, buildId } = sandbox;
  await recordSandbox(api.pool, {
    handle,
    worker: 'worker',
    ...(buildId !== undefined && { owner: { buildId, planId: handle } }),
    labels: { type, team, step, ...(attempt !== undefined && { attempt }) },
    workingDirectory: '/tmp/build/x',
    user: 'root',
  });
  await markSandboxCreated(api.pool, handle, 'root');
}
