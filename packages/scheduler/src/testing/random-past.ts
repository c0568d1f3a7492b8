import fc from 'fast-check';
import type { ResolvableInput } from '../inputs/history.ts';
import { InMemoryHistory } from './in-memory-history.ts';

export const OWN_JOB = 1;
const JOBS = [2, 3, 4];
export const RESOURCES = [1, 2];
const VERSIONS = ['v1', 'v2', 'v3', 'v4', 'v5'];

const version = fc.constantFrom(...VERSIONS);
const job = fc.constantFrom(...JOBS);
/** Up to two versions of each resource: put, then got. */
const outputs = fc.record(
  {
    1: fc.uniqueArray(version, { minLength: 1, maxLength: 2 }),
    2: fc.uniqueArray(version, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const build = fc.record({ kind: fc.constant('build' as const), job, outputs });
const rerun = fc.record({ kind: fc.constant('rerun' as const), of: fc.nat(), outputs: fc.option(outputs) });
const use = fc.record({
  kind: fc.constant('use' as const),
  versions: fc.record({ 1: version, 2: version }, { requiredKeys: [] }),
  from: fc.array(fc.nat(), { maxLength: 3 }),
});

const wanted = fc.oneof(
  fc.constant({ kind: 'latest' as const }),
  fc.constant({ kind: 'every' as const }),
  version.map((v) => ({ kind: 'pinned' as const, fields: { v } })),
);
const input = fc.record({
  resourceId: fc.constantFrom(...RESOURCES),
  passed: fc.uniqueArray(job, { minLength: 1, maxLength: 3 }),
  wanted,
});

export interface RandomPast {
  readonly history: InMemoryHistory;
  readonly disabled: readonly (readonly [resourceId: number, digest: string])[];
  readonly inputs: readonly ResolvableInput[];
}

/** A history with reruns, disabled versions and builds with several versions, and inputs to resolve in it. */
export const randomPast: fc.Arbitrary<RandomPast> = fc
  .record({
    known: fc.tuple(fc.nat(5), fc.nat(5)),
    events: fc.array(
      fc.oneof({ weight: 6, arbitrary: build }, { weight: 2, arbitrary: rerun }, { weight: 2, arbitrary: use }),
      {
        maxLength: 14,
      },
    ),
    disabled: fc.uniqueArray(fc.tuple(fc.constantFrom(...RESOURCES), version), {
      maxLength: 2,
      selector: ([resource, digest]) => `${resource} ${digest}`,
    }),
    inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
  })
  .map(({ known, events, disabled, inputs }) => {
    const history = new InMemoryHistory();
    for (const [index, count] of known.entries()) history.versions[index + 1] = VERSIONS.slice(0, count);
    for (const [resourceId, digest] of disabled) history.disable(resourceId, digest);
    let ids = 0;
    for (const event of events) {
      const past = history.builds;
      if (event.kind === 'build') past.push({ id: ++ids, job: event.job, outputs: event.outputs });
      const chosen = (index: number) => past[index % past.length];
      const original = event.kind === 'rerun' ? chosen(event.of) : undefined;
      if (event.kind === 'rerun' && original) {
        const rerunOf = original.rerunOf ?? original.id;
        past.push({ id: ++ids, job: original.job, rerunOf, outputs: event.outputs ?? original.outputs });
      }
      if (event.kind === 'use') {
        const from = event.from.flatMap((index) => chosen(index)?.id ?? []);
        history.uses.push({ job: OWN_JOB, versions: event.versions, from });
      }
    }
    const named = inputs.map((each, index) => ({ ...each, name: `i${index}`, trigger: true }));
    return { history, disabled, inputs: named };
  });
