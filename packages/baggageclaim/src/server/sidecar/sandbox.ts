import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxDirectories } from '../../protocol/places.ts';
import { SupervisorLink } from '../supervisor/supervisor-link.ts';
import type { Puller } from '../trees/pull.ts';
import { Processes } from './processes.ts';
import { endOf, Runs } from './runs.ts';
import { Volumes } from './volumes.ts';

/** One sandbox as its sidecar sees it. */
export interface Sandbox extends AsyncDisposable {
  readonly directories: SandboxDirectories;
  readonly volumes: Volumes;
  readonly processes: Processes;
  readonly runs: Runs;
  readonly link: SupervisorLink;
}

export async function openSandbox(directories: SandboxDirectories, puller: Puller): Promise<Sandbox> {
  await mkdir(dirname(directories.socket), { recursive: true });
  await mkdir(directories.output, { recursive: true, mode: 0o700 });
  // Users of the step's container that are not root have no business here.
  await chmod(dirname(directories.socket), 0o700);
  const processes = await Processes.open(directories.records);
  const link = new SupervisorLink({
    known(known) {
      for (const lost of processes.known(known)) {
        const message = 'the supervisor that ran this process has gone, and left no record of its end';
        void processes.failed(endOf(lost, { kind: 'interrupted', message }));
      }
    },
    grown: (id) => processes.grown(id),
    ended: (record) => processes.ended(record),
  });
  await link.listen(puller.runtime, directories.socket);
  const volumes = await Volumes.open(directories.build);
  const runs = new Runs({ processes, link, puller, volumes });
  return {
    directories,
    volumes,
    processes,
    runs,
    link,
    async [Symbol.asyncDispose]() {
      link.close();
    },
  };
}
