import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Processes } from './processes.ts';
import type { Puller } from './pull.ts';
import { endOf, Runs } from './runs.ts';
import { SupervisorLink } from './supervisor-link.ts';
import { Volumes } from './volumes.ts';

/** Where things are in a sandbox: `protocol.ts` says where in a pod. */
export interface SandboxDirectories {
  readonly socket: string;
  readonly records: string;
  readonly build: string;
  readonly output: string;
}

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

/** The directories of a sandbox that lies below one directory, as tests and local hosts have it. */
export function directoriesBelow(dir: string): SandboxDirectories {
  const build = join(dir, 'build');
  const control = join(dir, 'control');
  return {
    socket: join(control, 'supervisor.sock'),
    records: join(control, 'records'),
    build,
    output: join(build, '.seaplane'),
  };
}
