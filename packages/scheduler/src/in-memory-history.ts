import type { Version } from '@seaplane/config';
import type { History, ResourceVersion, VouchingBuild } from './history.ts';

interface PastBuild {
  readonly id: number;
  readonly job: number;
  readonly outputs: Readonly<Record<number, readonly string[]>>;
}

/** A past for tests. A version's digest is its only value, `v1` for `{ v: 'v1' }`. */
export class InMemoryHistory implements History {
  /** Oldest first. */
  readonly versions: Record<number, string[]> = {};
  readonly disabled = new Set<string>();
  readonly builds: PastBuild[] = [];
  /** Upstream builds that a build of a job came from. */
  readonly pipes: { readonly from: number; readonly toJob: number }[] = [];
  readonly used: { readonly job: number; readonly resourceId: number; readonly digest: string }[] = [];

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

  async contains(_: number, digest: string, fields: Version): Promise<boolean> {
    return matches(digest, fields);
  }

  async *successfulBuilds(jobId: number, having: readonly ResourceVersion[]): AsyncGenerator<VouchingBuild> {
    yield* this.#of(jobId, having).toReversed();
  }

  async *unusedBuilds(
    jobId: number,
    forJob: number,
    having: readonly ResourceVersion[],
  ): AsyncGenerator<VouchingBuild> {
    const all = this.#of(jobId, having);
    const came = this.pipes.filter(({ toJob }) => toJob === forJob).map(({ from }) => from);
    const ofJob = came.filter((id) => this.builds.some((build) => build.id === id && build.job === jobId));
    if (ofJob.length === 0) return yield* all.toReversed();
    const last = Math.max(...ofJob);
    const unused = all.filter(({ id }) => id > last);
    for (const [index, build] of unused.entries()) yield { ...build, hasNext: index < unused.length - 1 };
    yield* all.filter(({ id }) => id <= last).toReversed();
  }

  #of(jobId: number, having: readonly ResourceVersion[]): VouchingBuild[] {
    return this.builds
      .filter(({ job }) => job === jobId)
      .map(({ id, outputs }) => ({
        id,
        outputs: new Map(Object.entries(outputs).map(([key, list]) => [Number(key), list])),
      }))
      .filter(({ outputs }) => having.every(({ resourceId, digest }) => outputs.get(resourceId)?.includes(digest)));
  }

  #enabled(resourceId: number): string[] {
    return (this.versions[resourceId] ?? []).filter((digest) => !this.disabled.has(digest));
  }
}

function matches(digest: string, fields: Version): boolean {
  return Object.entries(fields).every(([key, value]) => key === 'v' && value === digest);
}
