import { setTimeout as sleep } from 'node:timers/promises';
import { reviveComponents } from '@seaplane/dev-cluster';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import pg from 'pg';
import { type BuildSpec, drawBuild } from './builds/build-spec.ts';
import { JOB, pipelineOf } from './builds/pipeline.ts';
import { drawFault, type Fault } from './faults/fault.ts';
import type { Place } from './place/place.ts';
import { HOUR_SIGNAL } from './place/web-slot.ts';
import type { Random } from './random.ts';
import { readEvidence } from './verdict/evidence.ts';
import { type Hit, judgeBuild, type Violation } from './verdict/judge.ts';
import { judgeRemains, readRemains, unknownArtifacts } from './verdict/leftovers.ts';
import { findDefects } from './verdict/web-log.ts';

/** Builds that run side by side. */
const BUILDS_AT_ONCE = 6;
/** Faults of one round. After a round everything is healed, and every build must end. */
const ROUND = 30;
/** Every build ends within this time after the faults. */
const QUIET_MS = 180_000;
const LEFTOVERS_MS = 180_000;
/** Each web sweeps at least this often. */
const SWEEP_MS = 35_000;
const POLL_MS = 500;

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly hits: ReadonlyMap<string, number>;
  readonly outcomes: ReadonlyMap<string, number>;
}

/** Runs rounds of faults and builds. Ends after the first round that broke a rule. */
export async function runChaos(
  place: Place,
  random: Random,
  faults: readonly Fault[],
  count: number,
  progress: Progress,
  signal: AbortSignal,
): Promise<RunResult> {
  const run = new Chaos(place, random, faults, progress, signal);
  const violations: Violation[] = [];
  for (let done = 0; done < count && violations.length === 0; done += ROUND) {
    violations.push(...(await run.round(Math.min(ROUND, count - done))));
  }
  return { violations, hits: run.counts, outcomes: run.outcomes };
}

class Chaos {
  readonly counts = new Map<string, number>();
  readonly outcomes = new Map<string, number>();
  readonly #place: Place;
  readonly #builds: Random;
  readonly #draws: Random;
  readonly #faults: readonly Fault[];
  readonly #progress: Progress;
  readonly #signal: AbortSignal;
  #buildNumber = 0;
  #faultNumber = 0;

  constructor(place: Place, random: Random, faults: readonly Fault[], progress: Progress, signal: AbortSignal) {
    this.#place = place;
    this.#builds = random.for('builds');
    this.#draws = random.for('faults');
    this.#faults = faults;
    this.#progress = progress;
    this.#signal = signal;
  }

  async round(count: number): Promise<Violation[]> {
    const over = new AbortController();
    const specs: BuildSpec[] = [];
    const feeding = Promise.all(Array.from({ length: BUILDS_AT_ONCE }, () => this.#feed(specs, over.signal)));
    feeding.catch(() => {});
    const hits = await this.#injectAll(count);
    over.abort();
    const deadline = AbortSignal.any([this.#signal, AbortSignal.timeout(QUIET_MS)]);
    await feeding;
    const violations = [];
    for (const spec of specs) violations.push(...(await this.#judge(spec, hits, deadline)));
    this.#progress(`quiet: ${specs.length} builds judged, ${violations.length} violations`);
    if (violations.length === 0) violations.push(...(await this.#judgeLeftovers(specs)));
    for (const { name, log, accidents } of this.#place.webs) {
      violations.push(...findDefects(name, log));
      const expected = 'web ends only when it is killed';
      violations.push(...accidents.map((seen) => ({ build: '-', step: name, expected, seen })));
    }
    return violations;
  }

  /** One build after another, until the round is over. */
  async #feed(specs: BuildSpec[], over: AbortSignal): Promise<void> {
    while (!over.aborted && !this.#signal.aborted) {
      const spec = drawBuild(this.#builds, ++this.#buildNumber);
      specs.push(spec);
      await this.#trigger(spec);
      this.#progress(`${spec.name} (${spec.shape}) runs`);
      while (!over.aborted && !(await this.#hasEnded(spec, this.#signal))) await sleep(POLL_MS);
    }
  }

  async #trigger(spec: BuildSpec): Promise<void> {
    const { api, witnessAddress } = this.#place;
    const pipeline = pipelineOf(spec, witnessAddress);
    await api.ask(this.#signal, (user) => user.setPipeline(spec.name, pipeline));
    // The answer to a trigger may be lost, so look before triggering again.
    await api.ask(this.#signal, async (user) => {
      if ((await user.builds(spec.name, JOB)).length === 0) await user.trigger(spec.name, JOB);
    });
  }

  async #hasEnded(spec: BuildSpec, signal: AbortSignal): Promise<boolean> {
    const builds = await this.#place.api.ask(signal, (user) => user.builds(spec.name, JOB));
    return builds.every(({ status }) => status !== 'pending' && status !== 'started');
  }

  async #injectAll(count: number): Promise<Hit[]> {
    const hits: Hit[] = [];
    const healing: Promise<void>[] = [];
    while (hits.length < count && !this.#signal.aborted) {
      const draw = drawFault(
        this.#draws,
        ++this.#faultNumber,
        this.#faults.map(({ kind }) => kind),
      );
      const fault = this.#faults.find(({ kind }) => kind === draw.kind);
      await sleep(draw.waitMs, undefined, { signal: this.#signal });
      await this.#revive();
      const injected = await fault?.inject(this.#place, draw).catch((error: Error) => {
        this.#progress(`${draw.kind} did not work: ${error.message.split('\n')[0]}`);
        return undefined;
      });
      if (!fault || !injected) continue;
      const { healed, ...hit } = injected;
      healed.catch(() => {});
      healing.push(healed);
      hits.push({ ...hit, kind: fault.kind, causes: fault.causes });
      this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
      this.#progress(`fault ${draw.number}: ${fault.kind}, ${hit.what}`);
    }
    await Promise.all(healing);
    return hits;
  }

  /** A scheduler that ended by itself is started again, as a real cluster does. */
  #revive(): Promise<void> {
    return reviveComponents(this.#place.index, this.#place.binaries);
  }

  async #judge(spec: BuildSpec, hits: readonly Hit[], deadline: AbortSignal): Promise<Violation[]> {
    while (!deadline.aborted && !(await this.#hasEnded(spec, this.#signal))) {
      await this.#revive();
      await sleep(POLL_MS);
    }
    const { api, witness } = this.#place;
    const builds = await api.ask(this.#signal, (user) => user.builds(spec.name, JOB));
    const processes = witness.processes(spec.name);
    const violations: Violation[] = [];
    for (const build of builds) {
      this.outcomes.set(
        `${spec.expected} -> ${build.status}`,
        (this.outcomes.get(`${spec.expected} -> ${build.status}`) ?? 0) + 1,
      );
      const evidence = await api.ask(this.#signal, (user) => readEvidence(user, spec, build, processes, this.#signal));
      violations.push(...judgeBuild(evidence, hits));
    }
    return violations;
  }

  /**
   * Destroys every pipeline of the round and waits until nothing of it is left. A web deletes an artifact that the
   * database does not know when two of its sweeps, an hour apart, have found it. So if nothing else is left, hours pass.
   */
  async #judgeLeftovers(specs: readonly BuildSpec[]): Promise<Violation[]> {
    const { api, postgres, webs } = this.#place;
    for (const { name } of specs) {
      await api.ask(this.#signal, (user) => user.destroyPipeline(name).catch(ignoreMissing));
    }
    const pool = new pg.Pool({ connectionString: postgres.url });
    pool.on('error', () => {});
    try {
      const deadline = AbortSignal.any([this.#signal, AbortSignal.timeout(LEFTOVERS_MS)]);
      for (let hourAt = Number.NEGATIVE_INFINITY; ; await sleep(POLL_MS * 4)) {
        const remains = await readRemains(this.#place, pool);
        const left = judgeRemains(remains);
        if (left.length === 0 || deadline.aborted) return left;
        if (left.length > unknownArtifacts(remains).length || performance.now() - hourAt < SWEEP_MS) continue;
        hourAt = performance.now();
        for (const web of webs) web.signal(HOUR_SIGNAL);
        this.#progress(`an hour passes: the database does not know ${left.length} artifacts of the store`);
      }
    } finally {
      await pool.end();
    }
  }
}

function ignoreMissing(error: Error): void {
  if (!error.message.includes('404')) throw error;
}
