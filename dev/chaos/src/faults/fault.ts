import type { Place } from '../place/place.ts';
import type { Random } from '../random.ts';
import type { Hit } from '../verdict/judge.ts';

/** One drawn fault: everything that chance decides about it. */
export interface FaultDraw {
  readonly number: number;
  readonly kind: string;
  /** The time since the fault before. */
  readonly waitMs: number;
  /** Which of the things that can be hit: a fraction of their list. */
  readonly aim: number;
  /** How long something stays away. */
  readonly lengthMs: number;
}

export interface Injected extends Omit<Hit, 'kind' | 'causes'> {
  /** Resolves when nothing of the fault is left. */
  readonly healed: Promise<void>;
}

/** A kind of fault. */
export interface Fault {
  readonly kind: string;
  /** The errors that the builds it hit may show. */
  readonly causes: readonly RegExp[];
  /** Returns undefined if there is nothing to hit at the moment. */
  inject(place: Place, draw: FaultDraw): Promise<Injected | undefined>;
}

/** The n-th fault of a run. It depends on the generator and the number only. */
export function drawFault(random: Random, number: number, kinds: readonly string[]): FaultDraw {
  return {
    number,
    kind: random.pick(kinds),
    waitMs: random.between(500, 3500),
    aim: random.next(),
    lengthMs: random.between(500, 6000),
  };
}
