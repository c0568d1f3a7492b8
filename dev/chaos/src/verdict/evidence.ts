import type { ApiUser } from '@seaplane/web/testing';
import type { BuildSpec } from '../builds/build-spec.ts';
import type { SeenProcess } from '../place/witness.ts';

/** A step of a plan: each attempt of a step has a plan of its own. */
export interface PlanEvidence {
  readonly id: string;
  readonly step: string;
  readonly log: string;
  /** Absent: the build has no finish event of it. */
  readonly exitStatus?: number;
}

/** All that is known of a build when it should have ended. */
export interface BuildEvidence {
  readonly spec: BuildSpec;
  readonly id: number;
  readonly status: string;
  readonly plans: readonly PlanEvidence[];
  /** The messages of error events. */
  readonly errors: readonly string[];
  readonly processes: readonly SeenProcess[];
}

/** Reads what the API shows of a build. */
export async function readEvidence(
  user: ApiUser,
  spec: BuildSpec,
  build: { readonly id: number; readonly status: string },
  processes: readonly SeenProcess[],
  signal: AbortSignal,
): Promise<BuildEvidence> {
  const steps = stepsOf(await user.plan(build.id));
  const logs = new Map<string, string>();
  const exits = new Map<string, number>();
  const errors: string[] = [];
  const ended = build.status !== 'started' && build.status !== 'pending';
  for await (const { event, data } of ended ? user.events(build.id, signal) : []) {
    const id = data.origin?.id ?? '';
    if (event === 'log') logs.set(id, (logs.get(id) ?? '') + data.payload);
    if (event === 'finish-task' || event === 'finish-put') exits.set(id, data.exit_status ?? -1);
    if (event === 'error') errors.push(data.message ?? '');
  }
  const plans = [...steps].map(([id, step]) => {
    const exitStatus = exits.get(id);
    return { id, step, log: logs.get(id) ?? '', ...(exitStatus === undefined ? {} : { exitStatus }) };
  });
  return { spec, id: build.id, status: build.status, plans, errors, processes };
}

/** The tasks and puts of a public plan, by their plan id. */
export function stepsOf(plan: unknown): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const { id, task, put } = value as { id?: string; task?: { name: string }; put?: { name: string } };
    const step = task?.name ?? put?.name;
    if (id !== undefined && step !== undefined) found.set(id, step);
    for (const part of Object.values(value)) walk(part);
  };
  walk(plan);
  return found;
}
