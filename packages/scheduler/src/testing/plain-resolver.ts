import type { InputResolution, ResolvableInput } from '../inputs/history.ts';
import { groupByPassed } from '../inputs/resolve-inputs.ts';
import { type InMemoryHistory, inOrder, type PastBuild } from './in-memory-history.ts';

interface Choice {
  readonly digest: string;
  readonly vouchers: readonly { readonly job: number; readonly build: number }[];
}

type Choices = readonly (Choice | undefined)[];

/** Resolves inputs with `passed` by trying every build in order, with no memory, no index and no short cut. */
export function resolvePlainly(
  past: InMemoryHistory,
  jobId: number,
  inputs: readonly ResolvableInput[],
): Map<string, InputResolution> {
  const found = new Map<string, InputResolution>();
  for (const group of groupByPassed(inputs)) {
    const pins = group.map(({ resourceId, wanted }) => pinned(past, resourceId, wanted));
    const missing = pins.find((pin) => pin?.digest === undefined && pin?.error !== undefined);
    const solution = missing
      ? undefined
      : search(
          past,
          jobId,
          group,
          pins,
          group.map(() => undefined),
        );
    const error = missing?.error ?? 'no satisfiable builds from passed jobs found for set of inputs';
    for (const [index, { name }] of group.entries()) {
      const choice = solution?.[index];
      const passedBuilds = [...new Set(choice?.vouchers.map(({ build }) => build))];
      found.set(name, choice ? { digest: choice.digest, passedBuilds } : { error });
    }
  }
  return found;
}

interface Pin {
  readonly digest?: string;
  readonly error?: string;
}

function pinned(past: InMemoryHistory, resourceId: number, wanted: ResolvableInput['wanted']): Pin | undefined {
  if (wanted.kind !== 'pinned') return undefined;
  const digest = wanted.fields['v'] ?? '';
  const isKnown = past.versions[resourceId]?.includes(digest);
  return isKnown ? { digest } : { error: `pinned version v:${digest} not found` };
}

function search(
  past: InMemoryHistory,
  jobId: number,
  inputs: readonly ResolvableInput[],
  pins: readonly (Pin | undefined)[],
  choices: Choices,
): Choices | undefined {
  for (const [index, input] of inputs.entries()) {
    const choice = choices[index];
    const last =
      input.wanted.kind === 'every' ? lastUsed(past, jobId, inputs.slice(0, index + 1)) : new Map<number, PastBuild>();
    const isUsed = input.passed.some((job) => last.has(job));
    for (const job of input.passed.toSorted((a, b) => a - b)) {
      if (choice?.vouchers.some((voucher) => voucher.job === job)) continue;
      if (!choice && isUsed && !last.has(job)) continue;
      for (const build of ordered(past, job, last.get(job))) {
        const constrained = choice ? inputs : [];
        const lacks = constrained.some(({ resourceId, passed }, each) => {
          const chosen = choices[each];
          return chosen && passed.includes(job) && !build.outputs[resourceId]?.includes(chosen.digest);
        });
        const next = lacks ? undefined : adopt(past, inputs, pins, choices, job, build);
        if (!next?.[index]?.vouchers.some((voucher) => voucher.job === job)) continue;
        const solution = search(past, jobId, inputs, pins, next);
        if (solution) return solution;
      }
      return undefined;
    }
  }
  return choices;
}

/** Undefined if the build has another version of an input that is chosen already. */
function adopt(
  past: InMemoryHistory,
  inputs: readonly ResolvableInput[],
  pins: readonly (Pin | undefined)[],
  choices: Choices,
  job: number,
  build: PastBuild,
): Choices | undefined {
  const next = [...choices];
  for (const [index, { resourceId, passed }] of inputs.entries()) {
    const offered = build.outputs[resourceId] ?? [];
    const chosen = choices[index];
    if (!passed.includes(job)) continue;
    if (chosen && offered.length > 0 && offered[0] !== chosen.digest) return undefined;
    const isFit = (digest: string) =>
      past.versions[resourceId]?.includes(digest) &&
      !past.isDisabled(resourceId, digest) &&
      (!pins[index] || pins[index].digest === digest);
    const digest = chosen ? offered[0] : offered.find(isFit);
    if (digest === undefined) continue;
    next[index] = { digest, vouchers: [...(chosen?.vouchers ?? []), { job, build: build.id }] };
  }
  return next;
}

/** All builds of a job, newest first; with `last`, those after it come first, oldest first. */
function ordered(past: InMemoryHistory, job: number, last: PastBuild | undefined): PastBuild[] {
  const builds = past.builds.filter((build) => build.job === job).sort(inOrder);
  if (!last) return builds.toReversed();
  const isNewer = (build: PastBuild) => {
    const isOfLater = (build.rerunOf ?? build.id) > (last.rerunOf ?? last.id);
    const isLaterRerun = last.rerunOf !== undefined && build.rerunOf === last.rerunOf && build.id > last.id;
    return isOfLater || isLaterRerun;
  };
  const rest = builds.filter((build) => !isNewer(build) && !(last.rerunOf === undefined && build.rerunOf === last.id));
  return [...builds.filter(isNewer), ...rest.filter((build) => inOrder(build, last) <= 0).toReversed()];
}

/** The newest upstream builds behind the newest used version of the first `every` input that was used. */
function lastUsed(past: InMemoryHistory, jobId: number, inputs: readonly ResolvableInput[]): Map<number, PastBuild> {
  const last = new Map<number, PastBuild>();
  for (const { resourceId, wanted } of inputs) {
    if (wanted.kind !== 'every') continue;
    const own = past.uses.filter(({ job }) => job === jobId);
    const newest = past.versions[resourceId]?.findLast((digest) =>
      own.some(({ versions }) => versions[resourceId] === digest),
    );
    if (newest === undefined) continue;
    for (const { from } of own.filter(({ versions }) => versions[resourceId] === newest)) {
      for (const build of past.builds.filter(({ id }) => from.includes(id))) {
        const known = last.get(build.job);
        if (!known || inOrder(build, known) > 0) last.set(build.job, build);
      }
    }
    return last;
  }
  return last;
}
