import type { UnixSeconds } from '../answers/unix-seconds.ts';

export function unixSeconds(date: Date): UnixSeconds;
export function unixSeconds(date: Date | undefined): UnixSeconds | undefined;
export function unixSeconds(date: Date | undefined): UnixSeconds | undefined {
  return date && Math.floor(date.getTime() / 1000);
}
