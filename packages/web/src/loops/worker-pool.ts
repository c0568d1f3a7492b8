import type { OpenHost, StepWorker } from '@seaplane/orchestrator';
import type { OpenWorker } from '../boot/open-workers.ts';
import type { Component } from './component.ts';
import { WorkerMember, type WorkerMemberContext } from './worker-member.ts';

/** The workers of this web. Steps go only to workers that are running. */
export class WorkerPool implements AsyncDisposable {
  readonly #members: readonly WorkerMember[];

  constructor(context: WorkerMemberContext, configured: readonly OpenWorker[]) {
    this.#members = configured.map(({ config, host }) => new WorkerMember(context, config, host));
  }

  /** The workers as steps choose among them. */
  workers(): readonly StepWorker[] {
    return this.#members.map((member) => member.asWorker());
  }

  hosts(): readonly OpenHost[] {
    return this.#members.map(({ host }) => host);
  }

  heartbeats(): readonly Component[] {
    return this.#members.map(({ heartbeat }) => heartbeat);
  }

  /** Call it when the heartbeats have stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
  }
}
