import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxDirectories } from '../../protocol/places.ts';
import { SupervisorLink } from '../supervisor/supervisor-link.ts';
import type { Puller } from '../trees/pull.ts';
import { exitRecordOf } from './exit-record.ts';
import { ProcessControl } from './process-control.ts';
import { Processes } from './processes.ts';
import { Volumes } from './volumes.ts';

/** The parts of a sandbox in its sidecar. */
export interface Sandbox extends AsyncDisposable {
  readonly directories: SandboxDirectories;
  readonly volumes: Volumes;
  readonly processes: Processes;
  readonly control: ProcessControl;
  readonly link: SupervisorLink;
}

export async function openSandbox(directories: SandboxDirectories, puller: Puller): Promise<Sandbox> {
  await mkdir(dirname(directories.socket), { recursive: true });
  await mkdir(directories.output, { recursive: true, mode: 0o700 });
  // Keeps out users of the step's container other than root.
  await chmod(dirname(directories.socket), 0o700);
  const processes = await Processes.open(directories.records);
  const link = new SupervisorLink({
    onConnect(known) {
      for (const lost of processes.reconcile(known)) {
        const message = 'the supervisor that ran this process has gone, and left no record of its end';
        void processes.recordFailure(exitRecordOf(lost, { kind: 'interrupted', message }));
      }
    },
    onOutput: (id) => processes.announceOutput(id),
    onEnd: (record) => processes.recordEnd(record),
  });
  await link.listen(puller.runtime, directories.socket);
  const volumes = await Volumes.open(directories.build);
  const control = new ProcessControl({ processes, link, puller, volumes });
  return {
    directories,
    volumes,
    processes,
    control,
    link,
    async [Symbol.asyncDispose]() {
      link.close();
    },
  };
}
