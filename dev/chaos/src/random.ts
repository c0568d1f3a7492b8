import { createHash } from 'node:crypto';

/** Numbers that look random and depend on the seed alone, so that a run can be repeated. */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** A generator of its own for one purpose: how often others are asked does not change its numbers. */
  for(purpose: string): Random {
    return new Random(`${this.#seed}/${purpose}`);
  }

  /** At least 0 and below 1. The algorithm is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return at(list, this.next());
  }
}

/** The element at a fraction of the list's length. */
export function at<T>(list: readonly T[], fraction: number): T {
  const element = list[Math.floor(fraction * list.length)];
  if (element === undefined) throw new RangeError('an empty list has nothing to pick');
  return element;
}
