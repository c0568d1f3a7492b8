import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExitRecord } from '../../protocol/messages.ts';
import type { SandboxDirectories } from '../../protocol/places.ts';
import { SupervisorLink } from '../supervisor/supervisor-link.ts';
import { SupervisorSecret } from '../supervisor/supervisor-secret.ts';
import type { Puller } from '../trees/pull.ts';
import { exitRecordOf } from './exit-record.ts';
import { type Network, ProcessControl } from './process-control.ts';
import { Processes } from './processes.ts';
import { readSealedRecords } from './sealed-records.ts';
import { Volumes } from './volumes.ts';

/** The parts of a sandbox in its sidecar. */
export interface Sandbox extends AsyncDisposable {
  readonly directories: SandboxDirectories;
  readonly volumes: Volumes;
  readonly processes: Processes;
  readonly control: ProcessControl;
  readonly link: SupervisorLink;
  readonly network: Network;
}

export async function openSandbox(directories: SandboxDirectories, network: Network, puller: Puller): Promise<Sandbox> {
  await mkdir(dirname(directories.socket), { recursive: true });
  await mkdir(directories.output, { recursive: true, mode: 0o700 });
  // Keeps out users of the step's container other than root.
  await chmod(dirname(directories.socket), 0o700);
  await mkdir(directories.records, { recursive: true, mode: 0o700 });
  const processes = await Processes.open(directories.own);
  const secret = await SupervisorSecret.open(join(directories.own, 'secret'));
  for (const record of await readSealedRecords(directories.records, secret)) processes.recordEnd(record);
  const reconcile = (known: ReadonlyMap<string, string>) => {
    for (const lost of processes.reconcile(known)) {
      const message = 'the supervisor that ran this process has gone, and left no record of its end';
      void processes.recordFailure(exitRecordOf(lost, { kind: 'interrupted', message }));
    }
  };
  const events = {
    onConnect: reconcile,
    onReplace: () => reconcile(new Map()),
    onOutput: (id: string) => processes.announceOutput(id),
    onEnd: (record: ExitRecord) => processes.recordEnd(record),
  };
  const link = new SupervisorLink(events, secret);
  await link.listen(puller.runtime, directories.socket);
  const volumes = await Volumes.open(directories.volumes, directories.mountPoints);
  const control = new ProcessControl({ processes, link, puller, volumes, network });
  return {
    directories,
    volumes,
    processes,
    control,
    link,
    network,
    async [Symbol.asyncDispose]() {
      link.close();
    },
  };
}
