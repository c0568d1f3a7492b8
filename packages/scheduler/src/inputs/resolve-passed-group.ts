import type { History, InputResolution, ResolvableInput, VersionOfResource, VouchingBuild } from './history.ts';

const NOT_SATISFIABLE = 'no satisfiable builds from passed jobs found for set of inputs';

interface Candidate {
  readonly digest: string;
  /** The build of each passed job that vouches for it. */
  readonly vouchers: ReadonlyMap<number, number>;
}

type Candidates = readonly (Candidate | undefined)[];

/**
 * Finds one version for each input of a group such that for every passed job a single successful build of it vouches
 * for all the versions of the inputs that name that job. Newest builds are tried first. A choice that leads to no
 * solution is undone and not tried again.
 */
export async function resolvePassedGroup(
  history: History,
  jobId: number,
  inputs: readonly ResolvableInput[],
): Promise<{ resolutions: Map<string, InputResolution>; more: boolean }> {
  const search = new Search(history, jobId, inputs);
  const solution = await search.solve(inputs.map(() => undefined));
  const resolutions = new Map<string, InputResolution>();
  for (const [index, { name }] of inputs.entries()) {
    const chosen = solution?.[index];
    const passedBuilds = chosen ? [...new Set(chosen.vouchers.values())] : [];
    resolutions.set(name, chosen ? { digest: chosen.digest, passedBuilds } : { error: NOT_SATISFIABLE });
  }
  return { resolutions, more: solution !== undefined && search.hasNext };
}

class Search {
  readonly #history: History;
  readonly #jobId: number;
  readonly #inputs: readonly ResolvableInput[];
  /** Sets of choices from which no solution was found. */
  readonly #doomed = new Set<string>();
  /** Builds of an `every` input remain after the one that was chosen. */
  hasNext = false;

  constructor(history: History, jobId: number, inputs: readonly ResolvableInput[]) {
    this.#history = history;
    this.#jobId = jobId;
    this.#inputs = inputs;
  }

  async solve(candidates: Candidates): Promise<Candidates | undefined> {
    const open = this.#firstOpen(candidates);
    if (!open) return candidates;
    const key = candidates.map((candidate) => candidate?.digest ?? '').join();
    if (this.#doomed.has(key)) return undefined;
    for await (const build of this.#builds(open.input, open.job, candidates)) {
      const next = await this.#adopt(candidates, open.job, build);
      const solution = next && (await this.solve(next));
      if (!solution) continue;
      this.hasNext ||= build.hasNext ?? false;
      return solution;
    }
    this.#doomed.add(key);
    return undefined;
  }

  /** The first input and passed job of it that no build vouches for yet. */
  #firstOpen(candidates: Candidates): { input: ResolvableInput; job: number } | undefined {
    for (const [index, input] of this.#inputs.entries()) {
      const job = [...input.passed].sort((a, b) => a - b).find((id) => !candidates[index]?.vouchers.has(id));
      if (job !== undefined) return { input, job };
    }
    return undefined;
  }

  #builds(input: ResolvableInput, job: number, candidates: Candidates): AsyncIterable<VouchingBuild> {
    const having: VersionOfResource[] = this.#inputs.flatMap(({ resourceId, passed }, index) => {
      const digest = candidates[index]?.digest;
      return digest && passed.includes(job) ? [{ resourceId, digest }] : [];
    });
    return input.wanted.kind === 'every'
      ? this.#history.unusedBuilds(job, this.#jobId, having)
      : this.#history.successfulBuilds(job, having);
  }

  /** Adds the choices that this build decides. Undefined if the build does not fit. */
  async #adopt(candidates: Candidates, job: number, build: VouchingBuild): Promise<Candidates | undefined> {
    const next = [...candidates];
    for (const [index, input] of this.#inputs.entries()) {
      if (!input.passed.includes(job)) continue;
      const chosen = next[index];
      const offered = build.outputs.get(input.resourceId) ?? [];
      const digest = chosen ? offered.find((each) => each === chosen.digest) : await this.#firstUsable(input, offered);
      if (digest === undefined) return undefined;
      next[index] = { digest, vouchers: new Map([...(chosen?.vouchers ?? []), [job, build.id]]) };
    }
    return next;
  }

  /** Only the first version that a build offers counts (put before got), if it is enabled and fits a pin. */
  async #firstUsable({ resourceId, wanted }: ResolvableInput, offered: readonly string[]): Promise<string | undefined> {
    const [digest] = offered;
    if (digest === undefined || !(await this.#history.isUsable(resourceId, digest))) return undefined;
    if (wanted.kind === 'pinned' && !(await this.#history.contains(resourceId, digest, wanted.fields)))
      return undefined;
    return digest;
  }
}
