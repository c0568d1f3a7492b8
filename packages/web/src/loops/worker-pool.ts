import { readmitWorker, readWorkerStates, type WorkerState } from '@seaplane/db';
import type { DialTaker, OpenHost, StepWorker } from '@seaplane/orchestrator';
import type { OpenWorker } from '../boot/open-workers.ts';
import type { ChangedTargets, Target } from '../boot/targets-file.ts';
import type { Component } from './component.ts';
import { WorkerMember, type WorkerMemberContext } from './worker-member.ts';

/** The host of a worker whose configuration has changed is closed when no step has used it for this long. */
const FORMER_MS = 10 * 60_000;

/** Runs a component until it is disposed of. */
export type RunComponent = (component: Component) => AsyncDisposable;

/** Names of workers that a change of the targets file has touched. */
export interface PoolChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Not used, because a flag of web has made a worker of the same name. */
  readonly taken: readonly string[];
}

interface Running {
  readonly member: WorkerMember;
  beat: AsyncDisposable | undefined;
}

interface Former {
  readonly member: WorkerMember;
  usedAt: number;
}

/**
 * The workers of this web. Steps go only to workers that are running. The workers of the targets file come and go as the file
 * changes. A worker whose entry has changed is another member under the same name: steps that run have the former member until
 * they end.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #context: WorkerMemberContext;
  #members: Running[];
  #former: Former[] = [];
  #run: RunComponent | undefined;

  private constructor(context: WorkerMemberContext, members: WorkerMember[]) {
    this.#context = context;
    this.#members = members.map((member) => ({ member, beat: undefined }));
  }

  static async open(context: WorkerMemberContext, configured: readonly OpenWorker[]): Promise<WorkerPool> {
    const members = configured.map((worker) => openMember(context, worker));
    return new WorkerPool(context, await Promise.all(members));
  }

  /** The workers as steps choose among them. */
  workers(): readonly StepWorker[] {
    return this.#members.flatMap(({ member }) => member.asWorker() ?? []);
  }

  hosts(): readonly OpenHost[] {
    return this.#members.flatMap(({ member }) => (member.asWorker() ? [member.worker.host] : []));
  }

  /** Takes connections of the machine of this worker, where that dials web. */
  dialTaker(name: string): DialTaker | undefined {
    return this.#members.find(({ member }) => member.name === name)?.member.worker.dials;
  }

  /** Runs the heartbeats of all members, and of those that come later. */
  run(run: RunComponent): void {
    this.#run = run;
    for (const each of this.#members) each.beat = run(each.member.heartbeat);
  }

  /** Follows a change of the targets file. A worker whose entry has a mistake stays as it was, and reports the mistake. */
  async update({ targets, mistakes }: ChangedTargets): Promise<PoolChange> {
    const change = { added: [] as string[], changed: [] as string[], removed: [] as string[], taken: [] as string[] };
    const wholeFile = mistakes.find(({ worker }) => worker === undefined)?.error.message;
    const mistakeOf = (name: string) => mistakes.find(({ worker }) => worker === name)?.error.message ?? wholeFile;
    for (const each of this.#members.filter(({ member }) => member.worker.fromFile)) {
      const { name, isRemoved } = each.member;
      const target = targets?.find((candidate) => candidate.name === name);
      const mistake = mistakeOf(name);
      const listed = target !== undefined || mistake !== undefined || targets === undefined;
      if (!listed && !isRemoved) change.removed.push(name);
      if (listed && isRemoved) {
        change.added.push(name);
        await readmitWorker(this.#context.pool, name);
      }
      each.member.setListed(listed, mistake);
      if (target && target.entry !== each.member.worker.entry) {
        if (!change.added.includes(name)) change.changed.push(name);
        await this.#replace(each, target);
      }
    }
    for (const target of targets ?? []) {
      const known = this.#members.find(({ member }) => member.name === target.name);
      if (known && !known.member.worker.fromFile) change.taken.push(target.name);
      if (known) continue;
      change.added.push(target.name);
      this.#start(await openMember(this.#context, await target.open()));
    }
    return change;
  }

  /** Closes what nobody uses any more: workers that have gone, and former members. */
  async sweep(): Promise<void> {
    const now = this.#context.clock.elapsedMs();
    const gone = this.#members.filter(({ member }) => member.hasGone);
    this.#members = this.#members.filter(({ member }) => !member.hasGone);
    for (const { member, beat } of gone) {
      await beat?.[Symbol.asyncDispose]();
      this.#former.push({ member, usedAt: now });
    }
    for (const each of this.#former) if (each.member.inUse) each.usedAt = now;
    const idle = this.#former.filter(({ usedAt }) => now - usedAt >= FORMER_MS);
    this.#former = this.#former.filter((each) => !idle.includes(each));
    for (const { member } of idle) await member[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(({ beat }) => beat?.[Symbol.asyncDispose]()));
    const all = [...this.#members, ...this.#former].map(({ member }) => member);
    await Promise.all(all.map((member) => member[Symbol.asyncDispose]()));
  }

  async #replace(each: Running, target: Target): Promise<void> {
    const member = await openMember(this.#context, await target.open());
    await each.beat?.[Symbol.asyncDispose]();
    this.#members = this.#members.filter((other) => other !== each);
    this.#former.push({ member: each.member, usedAt: this.#context.clock.elapsedMs() });
    this.#start(member);
  }

  #start(member: WorkerMember): void {
    // The machine that is connected to the last one of this name does not dial again by itself.
    const former = this.#former.findLast((each) => each.member.name === member.name);
    if (former?.member.worker.dials) member.worker.dials?.takeOver(former.member.worker.dials);
    this.#members.push({ member, beat: this.#run?.(member.heartbeat) });
  }
}

async function openMember(context: WorkerMemberContext, worker: OpenWorker): Promise<WorkerMember> {
  const known = (await readWorkerStates(context.pool)).get(worker.config.name);
  return new WorkerMember(context, worker, known && stateAtStart(known, worker.entry));
}

/** The state before the first report. Steps need not wait for the report, unless the worker has left. */
function stateAtStart({ state, entry }: { state: WorkerState; entry: string }, present: string): WorkerState {
  const left = state === 'landed' || state === 'retired';
  if (left && entry !== present) return 'stalled'; // its first report brings it back
  return left || state === 'landing' || state === 'retiring' ? state : 'running';
}
