import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where built binaries and images live between runs, outside the repository.
 * `SEAPLANE_CACHE` overrides it; deleting it costs only the time to build again.
 */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env['SEAPLANE_CACHE']) return env['SEAPLANE_CACHE'];
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'seaplane');
}
