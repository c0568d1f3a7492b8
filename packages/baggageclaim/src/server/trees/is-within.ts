import { posix } from 'node:path';

/** Whether a path is this directory or below it, judged by the names alone. */
export function isWithin(path: string, directory: string): boolean {
  const [inner, outer] = [posix.resolve('/', path), posix.resolve('/', directory)];
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}
