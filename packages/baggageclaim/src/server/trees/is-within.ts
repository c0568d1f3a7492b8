import { posix } from 'node:path';

/** Whether a path is a directory or below it, by name alone. */
export function isWithin(path: string, directory: string): boolean {
  const [inner, outer] = [posix.resolve('/', path), posix.resolve('/', directory)];
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}
