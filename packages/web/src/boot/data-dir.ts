import { join } from 'node:path';
import { Mistake } from './mistake.ts';

/** The properties of the machine that defaults depend on. */
export interface Machine {
  readonly isRoot: boolean;
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
}

/**
 * A user's data belongs in the home directory. Root's data does not: PostgreSQL does not run as root, and the user it runs
 * as cannot enter /root. Services of the whole machine keep their data in /var/lib.
 */
export function defaultDataDir(env: NodeJS.ProcessEnv, { isRoot, home }: Machine): string {
  if (isRoot) return '/var/lib/seaplane';
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'seaplane');
  if (home) return join(home, '.local', 'share', 'seaplane');
  throw new Mistake(
    'there is no home directory to keep data in: name a directory with --data-dir or SEAPLANE_DATA_DIR',
  );
}
