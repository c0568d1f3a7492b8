import { createHash } from 'node:crypto';

/** The kinds of locks. The number is the top byte of the key, so that kinds never collide; it must not change. */
const KINDS = {
  /** Running a build. */
  build: 1,
  /** Checking a scope. */
  scope: 2,
  /** Scheduling a job. */
  job: 3,
  /** A component's run. */
  component: 4,
  /** Fetching what a resource cache holds. */
  cache: 5,
  /** Checking in a sandbox in which checks take turns, or destroying it. */
  sandbox: 6,
} as const;

export type LockKind = keyof typeof KINDS;

/** The key of an advisory lock, as text, since it takes all 64 bits. Names are hashed. */
export function lockKey(kind: LockKind, id: number | string): string {
  const number =
    typeof id === 'number'
      ? BigInt(id)
      : createHash('sha256').update(id).digest().readBigUInt64BE() & 0x00ff_ffff_ffff_ffffn;
  return String((BigInt(KINDS[kind]) << 56n) | number);
}
