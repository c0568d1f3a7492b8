import type { OpenHost, Worker, WorkerConfig } from '@seaplane/orchestrator';
import { TargetWorker, type TargetWorkerContext } from './target-worker.ts';

export interface WorkerPoolContext extends TargetWorkerContext {
  readonly configured: readonly { readonly config: WorkerConfig; readonly host: OpenHost }[];
}

/** The workers of this web. Steps go only to those that run. */
export class WorkerPool implements AsyncDisposable {
  readonly #members: readonly TargetWorker[];

  constructor(context: WorkerPoolContext) {
    this.#members = context.configured.map(({ config, host }) => new TargetWorker(context, config, host));
  }

  /** As steps choose among them. */
  workers(): readonly Worker[] {
    return this.#members.map((member) => member.asWorker());
  }

  hosts(): readonly OpenHost[] {
    return this.#members.map(({ host }) => host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
  }
}
