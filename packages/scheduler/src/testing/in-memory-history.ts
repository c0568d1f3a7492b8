import type { Version } from '@seaplane/config';
import type { History, VersionOfResource, VouchingBuild } from '../inputs/history.ts';

interface PastBuild {
  readonly id: number;
  readonly job: number;
  /** A rerun stands beside its original. */
  readonly rerunOf?: number;
  readonly outputs: Readonly<Record<number, readonly string[]>>;
}

/** A past for tests. A version's digest is its only value, `v1` for `{ v: 'v1' }`. */
export class InMemoryHistory implements History {
  /** Oldest first. */
  readonly versions: Record<number, string[]> = {};
  readonly builds: PastBuild[] = [];
  /** Upstream builds that a build of a job came from. */
  readonly pipes: { readonly from: number; readonly toJob: number }[] = [];
  readonly used: { readonly job: number; readonly resourceId: number; readonly digest: string }[] = [];
  readonly #disabled = new Set<string>();

  disable(resourceId: number, ...digests: readonly string[]): void {
    for (const digest of digests) this.#disabled.add(`${resourceId} ${digest}`);
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
    const used = this.used.filter((use) => use.job === jobId && use.resourceId === resourceId);
    if (used.length === 0) return enabled.at(-1) ? { digest: enabled.at(-1) as string, hasNext: false } : undefined;
    const newest = Math.max(...used.map(({ digest }) => all.indexOf(digest)));
    const [next, ...more] = enabled.filter((digest) => all.indexOf(digest) > newest);
    if (next) return { digest: next, hasNext: more.length > 0 };
    const older = enabled.filter((digest) => all.indexOf(digest) <= newest).at(-1);
    return older ? { digest: older, hasNext: false } : undefined;
  }

  async isUsable(resourceId: number, digest: string): Promise<boolean> {
    return this.#enabled(resourceId).includes(digest);
  }

  async contains(resourceId: number, digest: string, fields: Version): Promise<boolean> {
    return (this.versions[resourceId] ?? []).includes(digest) && matches(digest, fields);
  }

  async *successfulBuilds(jobId: number, having: readonly VersionOfResource[]): AsyncGenerator<VouchingBuild> {
    yield* this.#of(jobId, having).map(vouching).toReversed();
  }

  async *unusedBuilds(
    jobId: number,
    forJob: number,
    having: readonly VersionOfResource[],
  ): AsyncGenerator<VouchingBuild> {
    const came = this.pipes.filter(({ toJob }) => toJob === forJob).map(({ from }) => from);
    const last = this.#of(jobId, []).findLast(({ id }) => came.includes(id));
    const all = this.#of(jobId, having);
    if (!last) return yield* all.map(vouching).toReversed();
    const unused = all.filter((build) => inOrder(build, last) > 0).map(vouching);
    for (const [index, build] of unused.entries()) yield { ...build, hasNext: index < unused.length - 1 };
    yield* all
      .filter((build) => inOrder(build, last) <= 0)
      .map(vouching)
      .toReversed();
  }

  /** Oldest first. */
  #of(jobId: number, having: readonly VersionOfResource[]): PastBuild[] {
    return this.builds
      .filter(({ job }) => job === jobId)
      .filter(({ outputs }) => having.every(({ resourceId, digest }) => outputs[resourceId]?.includes(digest)))
      .sort(inOrder);
  }

  #enabled(resourceId: number): string[] {
    return (this.versions[resourceId] ?? []).filter((digest) => !this.#disabled.has(`${resourceId} ${digest}`));
  }
}

function inOrder(a: PastBuild, b: PastBuild): number {
  return (a.rerunOf ?? a.id) - (b.rerunOf ?? b.id) || a.id - b.id;
}

function vouching({ id, outputs }: PastBuild): VouchingBuild {
  return { id, outputs: new Map(Object.entries(outputs).map(([key, list]) => [Number(key), list])) };
}

function matches(digest: string, fields: Version): boolean {
  return Object.entries(fields).every(([key, value]) => key === 'v' && value === digest);
}
