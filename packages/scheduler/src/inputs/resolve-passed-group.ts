import type {
  BuildFilter,
  History,
  InputResolution,
  PlaceOfBuild,
  ResolvableInput,
  VersionOfResource,
  VouchingBuild,
} from './history.ts';
import { matchPin } from './match-pin.ts';

const NOT_SATISFIABLE = 'no satisfiable builds from passed jobs found for set of inputs';

interface Candidate {
  readonly digest: string;
  /** The passed jobs that vouch for it so far. */
  readonly vouchedBy: ReadonlySet<number>;
  /** Their builds. A job vouches by several builds if they have different inputs of the group. */
  readonly builds: readonly number[];
}

type Candidates = readonly (Candidate | undefined)[];

/**
 * Finds one version for each input of a group such that every passed job of the input has a successful build that
 * vouches for it, and no chosen build has another version of a chosen input. Newest builds are tried first. A choice
 * that leads to no solution is undone and not tried again.
 */
export async function resolvePassedGroup(
  history: History,
  jobId: number,
  inputs: readonly ResolvableInput[],
): Promise<{ resolutions: Map<string, InputResolution>; more: boolean }> {
  const failed = (error: string) => ({
    resolutions: new Map<string, InputResolution>(inputs.map(({ name }) => [name, { error }])),
    more: false,
  });
  const pins: (string | undefined)[] = [];
  for (const { resourceId, wanted } of inputs) {
    if (wanted.kind !== 'pinned') pins.push(undefined);
    else {
      const pin = await matchPin(history, resourceId, wanted.fields);
      if ('error' in pin) return failed(pin.error);
      pins.push(pin.digest);
    }
  }
  const jobs = [...new Set(inputs.flatMap(({ passed }) => passed))];
  // Saves the search through the other jobs' builds, which can be long.
  if (jobs.length > 1 && !(await history.haveSucceeded(jobs))) return failed(NOT_SATISFIABLE);
  const search = new Search(history, jobId, inputs, pins);
  const solution = await search.solve(inputs.map(() => undefined));
  if (!solution) return failed(NOT_SATISFIABLE);
  const resolutions = new Map<string, InputResolution>();
  for (const [index, { name }] of inputs.entries()) {
    const chosen = solution[index];
    if (chosen) resolutions.set(name, { digest: chosen.digest, passedBuilds: chosen.builds });
  }
  return { resolutions, more: search.hasNext };
}

/** The next question of a search: a build of which job vouches for this input? */
interface Open {
  readonly index: number;
  readonly job: number;
  /** Set for `version: every`, if the job was used before: the last used build. */
  readonly after?: PlaceOfBuild;
}

class Search {
  readonly #history: History;
  readonly #jobId: number;
  readonly #inputs: readonly ResolvableInput[];
  readonly #pins: readonly (string | undefined)[];
  /** Sets of choices from which no solution was found. */
  readonly #doomed = new Set<string>();
  /** Known answers of `usable`, by resource and digest. */
  readonly #usable = new Map<number, Map<string, boolean>>();
  /** Known answers of `lastUsedBuilds`, by resource. */
  readonly #lastUsed = new Map<number, ReadonlyMap<number, PlaceOfBuild> | undefined>();
  /** Builds of an `every` input remain after the one that was chosen. */
  hasNext = false;

  constructor(
    history: History,
    jobId: number,
    inputs: readonly ResolvableInput[],
    pins: readonly (string | undefined)[],
  ) {
    this.#history = history;
    this.#jobId = jobId;
    this.#inputs = inputs;
    this.#pins = pins;
  }

  async solve(candidates: Candidates): Promise<Candidates | undefined> {
    const open = await this.#firstOpen(candidates);
    if (!open) return candidates;
    const key = candidates.map((each) => (each ? `${each.digest} ${[...each.vouchedBy].sort()}` : '')).join();
    if (this.#doomed.has(key)) return undefined;
    for await (const page of this.#builds(open, candidates)) {
      await this.#learnUsable(page, open.job, candidates);
      for (const build of page) {
        const next = this.#adopt(candidates, open, build);
        const solution = next && (await this.solve(next));
        if (!solution) continue;
        this.hasNext ||= build.hasNext ?? false;
        return solution;
      }
    }
    this.#doomed.add(key);
    return undefined;
  }

  /**
   * The first input, and the first of its passed jobs, that no build vouches for yet. If an `every` input was used with
   * other passed jobs only, this job waits for them: otherwise it would skip versions by starting at its newest build.
   */
  async #firstOpen(candidates: Candidates): Promise<Open | undefined> {
    for (const [index, { passed, wanted }] of this.#inputs.entries()) {
      const candidate = candidates[index];
      const used = wanted.kind === 'every' ? await this.#lastUsedFor(index) : undefined;
      const waits = !candidate && passed.some((job) => used?.has(job));
      for (const job of [...passed].sort((a, b) => a - b)) {
        const after = used?.get(job);
        if (candidate?.vouchedBy.has(job) || (waits && !after)) continue;
        return { index, job, ...(after ? { after } : {}) };
      }
    }
    return undefined;
  }

  /** Of this and the `every` inputs before it, the first that the job has used decides: they come from the same builds. */
  async #lastUsedFor(index: number): Promise<ReadonlyMap<number, PlaceOfBuild> | undefined> {
    for (const { resourceId, wanted } of this.#inputs.slice(0, index + 1)) {
      if (wanted.kind !== 'every') continue;
      if (!this.#lastUsed.has(resourceId)) {
        this.#lastUsed.set(resourceId, await this.#history.lastUsedBuilds(this.#jobId, resourceId));
      }
      const found = this.#lastUsed.get(resourceId);
      if (found) return found;
    }
    return undefined;
  }

  #builds({ index, job, after }: Open, candidates: Candidates): AsyncIterable<readonly VouchingBuild[]> {
    const chosen: VersionOfResource[] = this.#inputs.flatMap(({ resourceId, passed }, each) => {
      const digest = candidates[each]?.digest;
      return digest && passed.includes(job) ? [{ resourceId, digest }] : [];
    });
    const { resourceId, passed } = this.#inputs[index] as ResolvableInput;
    const pin = this.#pins[index];
    const others = passed.filter((each) => each !== job);
    const filter: BuildFilter = candidates[index]
      ? { having: chosen, agreeing: chosen }
      : {
          having: pin ? [{ resourceId, digest: pin }] : [],
          agreeing: chosen,
          vouchedBy: { resourceId, jobs: others },
        };
    return after ? this.#history.unusedBuilds(job, after, filter) : this.#history.successfulBuilds(job, filter);
  }

  /** Asks once for all versions of a page that may be chosen. */
  async #learnUsable(page: readonly VouchingBuild[], job: number, candidates: Candidates): Promise<void> {
    const open = this.#inputs.filter(({ passed }, index) => !candidates[index] && passed.includes(job));
    for (const resourceId of new Set(open.map((input) => input.resourceId))) {
      const known = this.#usable.get(resourceId) ?? new Map<string, boolean>();
      this.#usable.set(resourceId, known);
      const offered = new Set(page.flatMap(({ outputs }) => outputs.get(resourceId) ?? []));
      const unknown = [...offered].filter((digest) => !known.has(digest));
      if (unknown.length === 0) continue;
      const usable = await this.#history.usable(resourceId, unknown);
      for (const digest of unknown) known.set(digest, usable.has(digest));
    }
  }

  /**
   * Adds the choices that this build decides. Undefined if the build does not fit: it has another version of a chosen
   * input, or no version for the input in question. Another input for which the build has no version stays open.
   */
  #adopt(candidates: Candidates, { index, job }: Open, build: VouchingBuild): Candidates | undefined {
    const next = [...candidates];
    for (const [each, { passed, resourceId }] of this.#inputs.entries()) {
      const offered = build.outputs.get(resourceId) ?? [];
      if (!passed.includes(job) || offered.length === 0) continue;
      const chosen = next[each];
      // The first version is the one that the build put last, or got: the build vouches for that one (IN8).
      if (chosen && offered[0] !== chosen.digest) return undefined;
      const digest = chosen?.digest ?? offered.find((version) => this.#fits(each, resourceId, version));
      if (digest === undefined) continue;
      next[each] = {
        digest,
        vouchedBy: new Set([...(chosen?.vouchedBy ?? []), job]),
        builds: [...new Set([...(chosen?.builds ?? []), build.id])],
      };
    }
    return next[index]?.vouchedBy.has(job) ? next : undefined;
  }

  #fits(index: number, resourceId: number, digest: string): boolean {
    const pin = this.#pins[index];
    return this.#usable.get(resourceId)?.get(digest) === true && (pin === undefined || pin === digest);
  }
}
