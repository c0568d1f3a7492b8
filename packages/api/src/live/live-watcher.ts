import type { Change, PipelineAudience } from '@seaplane/db';
import type { LiveAnswer } from '../answers/live.ts';
import { may, type Requester, teamsFor } from '../auth/requester.ts';

/** More pipelines than this are not named one by one: the page reads its lists again in any case. */
const MOST_PIPELINES = 200;

/** A change that is not about a pipeline. `all`: changes may have been missed. */
export type OtherChange = Exclude<Change, `pipeline:${number}`> | 'workers' | 'all';

/**
 * One open page: the changes that its requester may know of, until the page takes them. However long that takes, they
 * take little memory: a set of pipelines of limited size, and a few flags.
 */
export class LiveWatcher {
  readonly #requester: Requester;
  readonly #pipelines = new Set<number>();
  readonly #teams = new Set<string>();
  readonly #flags = new Set<'all' | 'list' | 'workers' | 'wall'>(['all']);
  #wake: () => void = () => {};

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  addPipelines(audiences: readonly PipelineAudience[]): void {
    for (const { id, teamId, public: isPublic } of audiences) {
      if (isPublic || may(this.#requester, 'GetPipeline', teamId)) this.#pipelines.add(id);
    }
    if (this.#pipelines.size > MOST_PIPELINES) this.#flags.add('all');
    if (!this.#isEmpty()) this.#wake();
  }

  add(change: OtherChange): void {
    if (change === 'workers' && !this.#seesWorkers()) return;
    if (change.startsWith('team:')) this.#addTeam(Number(change.slice('team:'.length)));
    else this.#flags.add(change === 'pipelines' ? 'list' : (change as 'all' | 'workers' | 'wall'));
    if (!this.#isEmpty()) this.#wake();
  }

  /** Returns what has changed since the last call. Undefined: nothing. */
  take(): LiveAnswer | undefined {
    if (this.#isEmpty()) return undefined;
    const [pipelines, teams] = [[...this.#pipelines], [...this.#teams]];
    const flags = [...this.#flags].map((flag) => [flag, true] as const);
    const isAll = this.#flags.has('all');
    for (const set of [this.#pipelines, this.#teams, this.#flags]) set.clear();
    if (isAll) return { all: true };
    return {
      ...Object.fromEntries(flags),
      ...(pipelines.length > 0 && { pipelines }),
      ...(teams.length > 0 && { teams }),
    };
  }

  /** Waits until there is something to take, for at most so long. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isEmpty() || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }

  #addTeam(id: number): void {
    const requester = this.#requester;
    if (requester.kind !== 'user' || !may(requester, 'ListTeamBuilds', id)) return;
    const known = requester.teams.find((team) => team.id === id);
    if (known) this.#teams.add(known.name);
    else this.#flags.add('all'); // a team that is newer than the connection
  }

  /** Workers are shown to users with a role in any team. */
  #seesWorkers(): boolean {
    return teamsFor(this.#requester, 'ListWorkers')?.length !== 0;
  }

  #isEmpty(): boolean {
    return this.#pipelines.size + this.#teams.size + this.#flags.size === 0;
  }
}
