import { join } from 'node:path';

/** Short, because unix socket paths end at 108 bytes, and open to PostgreSQL's user, which a home directory is not. */
const STATE_ROOT = '/var/lib/seaplane-dev';

/** Where everything of the one Concourse on this machine is. */
export const LAYOUT = {
  /** Everything mutable. Removed at the start and at the end. */
  state: join(STATE_ROOT, 'concourse'),
  lockFile: join(STATE_ROOT, 'concourse.lock'),
  cgroup: 'seaplane-concourse',
  /** The host's end of the link into the network namespace; at most 15 characters. */
  hostLink: 'seaplane-cc',
  hostIp: '10.201.0.1',
  ip: '10.201.0.2',
  webPort: 8080,
  tsaPort: 2222,
  postgresPort: 5432,
} as const;
