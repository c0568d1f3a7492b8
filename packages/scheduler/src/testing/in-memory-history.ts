import type { Version } from '@seaplane/config';
import type { BuildFilter, History, PlaceOfBuild, VouchingBuild } from '../inputs/history.ts';

export interface PastBuild {
  readonly id: number;
  readonly job: number;
  /** A rerun stands beside its original. */
  readonly rerunOf?: number;
  readonly outputs: Readonly<Record<number, readonly string[]>>;
}

/** A build of a job, with the versions it used, by resource, and the builds of other jobs that it came from. */
export interface Use {
  readonly job: number;
  readonly versions: Readonly<Record<number, string>>;
  readonly from: readonly number[];
}

/** A past for tests. A version's digest is its only value, `v1` for `{ v: 'v1' }`. */
export class InMemoryHistory implements History {
  /** Oldest first. */
  readonly versions: Record<number, string[]> = {};
  readonly builds: PastBuild[] = [];
  readonly uses: Use[] = [];
  readonly #disabled = new Set<string>();

  disable(resourceId: number, ...digests: readonly string[]): void {
    for (const digest of digests) this.#disabled.add(`${resourceId} ${digest}`);
  }

  isDisabled(resourceId: number, digest: string): boolean {
    return this.#disabled.has(`${resourceId} ${digest}`);
  }

  async latest(resourceId: number): Promise<string | undefined> {
    return this.#enabled(resourceId).at(-1);
  }

  async matching(resourceId: number, fields: Version): Promise<string | undefined> {
    return this.versions[resourceId]?.findLast((digest) => matches(digest, fields));
  }

  async nextUnused(jobId: number, resourceId: number) {
    const all = this.versions[resourceId] ?? [];
    const enabled = this.#enabled(resourceId);
    const newest = this.#newestUsed(jobId, resourceId);
    if (newest < 0) return enabled.at(-1) ? { digest: enabled.at(-1) as string, hasNext: false } : undefined;
    const [next, ...more] = enabled.filter((digest) => all.indexOf(digest) > newest);
    if (next) return { digest: next, hasNext: more.length > 0 };
    const older = enabled.filter((digest) => all.indexOf(digest) <= newest).at(-1);
    return older ? { digest: older, hasNext: false } : undefined;
  }

  async usable(resourceId: number, digests: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(this.#enabled(resourceId).filter((digest) => digests.includes(digest)));
  }

  async haveSucceeded(jobIds: readonly number[]): Promise<boolean> {
    return jobIds.every((id) => this.builds.some(({ job }) => job === id));
  }

  async lastUsedBuilds(jobId: number, resourceId: number): Promise<ReadonlyMap<number, PlaceOfBuild> | undefined> {
    const newest = this.#newestUsed(jobId, resourceId);
    if (newest < 0) return undefined;
    const digest = this.versions[resourceId]?.[newest];
    const own = this.uses.filter(({ job, versions }) => job === jobId && versions[resourceId] === digest);
    const from = this.builds.filter(({ id }) => own.some((use) => use.from.includes(id))).sort(inOrder);
    return new Map(from.map(({ job, id, rerunOf = null }) => [job, { id, rerunOf }]));
  }

  async *successfulBuilds(jobId: number, filter: BuildFilter): AsyncGenerator<readonly VouchingBuild[]> {
    yield this.#of(jobId, filter).map(vouching).toReversed();
  }

  async *unusedBuilds(
    jobId: number,
    after: PlaceOfBuild,
    filter: BuildFilter,
  ): AsyncGenerator<readonly VouchingBuild[]> {
    const last = { id: after.id, ...(after.rerunOf === null ? {} : { rerunOf: after.rerunOf }) };
    const all = this.#of(jobId, filter);
    const isNewer = (build: PastBuild) => inOrder(build, last) > 0 && build.rerunOf !== after.id;
    const unused = all.filter(isNewer).map(vouching);
    yield unused.map((build, index) => ({ ...build, hasNext: index < unused.length - 1 }));
    const others = all.filter((build) => inOrder(build, last) <= 0);
    yield others.map(vouching).toReversed();
  }

  #newestUsed(jobId: number, resourceId: number): number {
    const all = this.versions[resourceId] ?? [];
    const own = this.uses.filter(({ job }) => job === jobId);
    return Math.max(-1, ...own.map(({ versions }) => all.indexOf(versions[resourceId] ?? '')));
  }

  /** Oldest first. */
  #of(jobId: number, { having, agreeing }: BuildFilter): PastBuild[] {
    return this.builds
      .filter(({ job }) => job === jobId)
      .filter(({ outputs }) => having.every(({ resourceId, digest }) => outputs[resourceId]?.includes(digest)))
      .filter(({ outputs }) =>
        agreeing.every(({ resourceId, digest }) => (outputs[resourceId]?.[0] ?? digest) === digest),
      )
      .sort(inOrder);
  }

  #enabled(resourceId: number): string[] {
    return (this.versions[resourceId] ?? []).filter((digest) => !this.isDisabled(resourceId, digest));
  }
}

type Place = Pick<PastBuild, 'id' | 'rerunOf'>;

export function inOrder(a: Place, b: Place): number {
  return (a.rerunOf ?? a.id) - (b.rerunOf ?? b.id) || a.id - b.id;
}

function vouching({ id, outputs }: PastBuild): VouchingBuild {
  return { id, outputs: new Map(Object.entries(outputs).map(([key, list]) => [Number(key), list])) };
}

function matches(digest: string, fields: Version): boolean {
  return Object.entries(fields).every(([key, value]) => key === 'v' && value === digest);
}
