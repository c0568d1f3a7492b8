import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** PostgreSQL dies with all its connections, recovers and comes back. */
export const postgresKilled: Fault = {
  kind: 'postgres-killed',
  causes: [],
  async inject({ postgres }) {
    if (postgres.status !== 'running') return undefined;
    process.kill(postgres.pid, 'SIGKILL');
    const running = async () => {
      do await sleep(50);
      while (postgres.status !== 'running');
    };
    return { what: 'the server', builds: 'none', healed: running() };
  },
};
