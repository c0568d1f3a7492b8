import type { Target } from '@seaplane/kubernetes';
import type { Worker } from '@seaplane/orchestrator';
import { type TargetHost, TargetWorker, type TargetWorkerContext } from './target-worker.ts';

export interface WorkerPoolContext extends TargetWorkerContext {
  readonly targets: readonly { readonly target: Target; readonly host: TargetHost }[];
}

/** The workers of this web: each target is one. Steps go only to those that run. */
export class WorkerPool implements AsyncDisposable {
  readonly #members: readonly TargetWorker[];

  constructor(context: WorkerPoolContext) {
    this.#members = context.targets.map(({ target, host }) => new TargetWorker(context, target, host));
  }

  /** As steps choose among them. */
  workers(): readonly Worker[] {
    return this.#members.map((member) => member.asWorker());
  }

  hosts(): readonly TargetHost[] {
    return this.#members.map(({ host }) => host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
  }
}
