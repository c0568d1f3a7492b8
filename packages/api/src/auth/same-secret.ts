import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same. The time of the comparison does not reveal what they have in common. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
